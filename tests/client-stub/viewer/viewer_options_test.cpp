#include "client-stub/viewer/viewer_options.h"
#include "shared/config/option_names.h"

#include <doctest/doctest.h>

#include <numbers>
#include <string>
#include <vector>

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

TEST_CASE("viewer_options: the default name has the process id's last four digits") {
    CHECK(default_name(0x123abU) == "viewer-23ab");
    CHECK(default_name(7) == "viewer-0007");
}

TEST_CASE("viewer_options: an unknown option is answered with the nearest") {
    const std::vector<std::string_view> known{"--connect", "--name", "--view"};
    const auto check = [&](std::vector<std::string_view> arguments) {
        const auto checked = check_option_names(arguments, known);
        return checked ? std::string() : checked.error().message;
    };
    CHECK(check({"--conect", "X"}) == "unknown option '--conect': did you mean '--connect'?");
    CHECK(check({"--nam=a", "--vew"}) == "unknown option '--nam': did you mean '--name'?");
    CHECK(check({"--connect=x", "--name", "-1", "--", "a"}).empty());
}

TEST_CASE("viewer_options: without a screen something must be left behind") {
    ViewerOptions options;
    CHECK(check_purpose(options).has_value());
    options.is_headless = true;
    CHECK_FALSE(check_purpose(options).has_value());
    options.frames = 1;
    CHECK(check_purpose(options).has_value());
}

TEST_CASE("viewer_options: the folder of a picture must be there") {
    CHECK(check_folder_of("a.png").has_value());
    CHECK(check_folder_of("/tmp/a.png").has_value());
    const auto missing = check_folder_of("/nonexistent/a.png");
    REQUIRE_FALSE(missing.has_value());
    CHECK(missing.error().message ==
          "'/nonexistent/a.png' cannot be written: there is no folder '/nonexistent'");
}
