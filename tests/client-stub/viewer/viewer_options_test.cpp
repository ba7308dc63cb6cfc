#include "client-stub/viewer/viewer_options.h"

#include <doctest/doctest.h>

#include <numbers>

using namespace terrane;

TEST_CASE("viewer_options: sizes") {
    const auto size = parse_size("1920x1080");
    REQUIRE(size.has_value());
    CHECK(*size == ImageSize{1920, 1080});
    for (const char* bad : {"", "x", "1280", "1280x", "x720", "1280x720x3", "0x720", "-1x720",
                            "1280x9000", "12a0x720", "1280 x720", "99999999999x1"}) {
        CAPTURE(bad);
        const auto refused = parse_size(bad);
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().message.find("1280x720") != std::string::npos);
    }
}

TEST_CASE("viewer_options: cameras are metres and degrees") {
    const auto camera = parse_camera("10.5,-3,0,90,-45");
    REQUIRE(camera.has_value());
    CHECK(camera->position == Vec3{10.5F, -3.0F, 0.0F});
    CHECK(camera->yaw == doctest::Approx(0.5F * std::numbers::pi_v<float>));
    CHECK(camera->pitch == doctest::Approx(-0.25F * std::numbers::pi_v<float>));
    for (const char* bad : {"", "1,2,3,4", "1,2,3,4,5,6", "1,2,3,4,91", "1,2,x,4,5", "1,,3,4,5",
                            "nan,2,3,4,5", "inf,2,3,4,5", "1,2,3,4,5,", "1e9,2,3,4,5"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_camera(bad).has_value());
    }
}

TEST_CASE("viewer_options: qualities") {
    CHECK(parse_quality("low") == PictureQuality::low);
    CHECK(parse_quality("best") == PictureQuality::best);
    CHECK_FALSE(parse_quality("High").has_value());
}
