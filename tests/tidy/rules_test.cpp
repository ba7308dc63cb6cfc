// The checker checked: each rule finds what is planted and leaves the good neighbour alone.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/tidy/include_rules.h"
#include "tests/tidy/name_rules.h"
#include "tests/tidy/schema_rules.h"
#include "tests/tidy/source_file.h"
#include "tests/tidy/text_rules.h"
#include "tests/tidy/tree_rules.h"

namespace terrane {
namespace {

std::string repeat(const std::string& text, std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
        all += text;
    }
    return all;
}

TEST_CASE("tidy rules: comments and strings are not code, includes and code are") {
    const SourceFile file = make_source(
        "a.cpp",
        "#include \"b.h\"  // c\nint x = 1'000; /* y\n z */ char q = '\"'; auto s = \"t // u\";\n"
        "auto r = R\"(raw \" v)\"; int w;\n");
    REQUIRE(file.code.size() == 4);
    CHECK(file.code[0].find("b.h") != std::string::npos);
    CHECK(file.code[1].find("1'000;") != std::string::npos);
    CHECK(file.code[1].find('y') == std::string::npos);
    CHECK(file.code[2].find('z') == std::string::npos);
    CHECK(file.code[2].find('u') != std::string::npos);  // of "auto"
    CHECK(file.code[2].find("// u") == std::string::npos);
    CHECK(file.code[3].find("raw") == std::string::npos);
    CHECK(file.code[3].find("int w;") != std::string::npos);
    CHECK(file.code[3].size() == file.lines[3].size());
}

TEST_CASE("tidy rules: an include upwards, sideways or across the wire is found") {
    const auto count = [](const std::string& path, const std::string& include) {
        return check_directions(make_source(path, "#include \"" + include + "\"\n")).size();
    };
    CHECK(count("shared/math/aabb.h", "shared/voxel/chunk.h") == 1);
    CHECK(count("shared/voxel/chunk.h", "shared/shape/ball.h") == 1);
    CHECK(count("shared/voxel/chunk.h", "shared/config/config_table.h") == 1);
    CHECK(count("server/physics/p.cpp", "server/world/world.h") == 1);
    CHECK(count("server/world/w.cpp", "server/net/tcp.h") == 1);
    CHECK(count("client-stub/viewer/v.cpp", "server/net/tcp.h") == 1);
    CHECK(count("tests/client-stub/viewer/v_test.cpp", "server/net/tcp.h") == 1);
    CHECK(count("client-stub/bots/b.cpp", "client-stub/viewer/gl.h") == 1);
    CHECK(count("shared/voxel/chunk.cpp", "chunk.h") == 1);  // not from the root
    CHECK(count("shared/voxel/chunk.cpp", "shared/voxel/chunk.h") == 0);
    CHECK(count("shared/motion/m.cpp", "shared/core/assert.h") == 0);  // far below
    CHECK(count("server/store/s.cpp", "shared/voxel/coords.h") == 0);
    CHECK(count("server/app/zone.cpp", "shared/config/config_table.h") == 0);
    CHECK(count("shared/protocol/p.cpp", "schemas/types_generated.h") == 0);
    CHECK(count("tests/integration/i_test.cpp", "server/app/zone.h") == 0);
}

TEST_CASE("tidy rules: an include of a room that is not linked is found") {
    RoomLinks links;
    parse_room_links(
        "terrane_room(shared/math HEADERS a.h LINKS shared_core)\n"
        "terrane_room(shared/voxel\n    SOURCES chunk.cpp\n    LINKS shared_math\n"
        "    PRIVATE_LINKS zstd::lib)\n"
        "terrane_room(client-stub/bots LINKS client_stub_session)\n",
        links);
    CHECK(links["client-stub/bots"].contains("client-stub/session"));
    const auto count = [&](const std::string& include) {
        return check_links(make_source("shared/voxel/a.cpp", "#include \"" + include + "\"\n"),
                           links)
            .size();
    };
    CHECK(count("shared/math/aabb.h") == 0);
    CHECK(count("shared/core/assert.h") == 0);  // through math
    CHECK(count("shared/voxel/chunk.h") == 0);
    CHECK(count("shared/shape/ball.h") == 1);
}

TEST_CASE("tidy rules: a library outside its place is found") {
    const auto count = [](const std::string& path, const std::string& include) {
        return check_libraries(make_source(path, "#include <" + include + ">\n")).size();
    };
    CHECK(count("server/world/w.cpp", "btBulletDynamicsCommon.h") == 1);
    CHECK(count("server/physics/p.cpp", "btBulletDynamicsCommon.h") == 0);
    CHECK(count("server/app/zone.cpp", "sqlite3.h") == 1);
    CHECK(count("server/session/s.cpp", "asio.hpp") == 1);
    CHECK(count("client-stub/viewer/viewer.cpp", "GLFW/glfw3.h") == 1);
    CHECK(count("client-stub/viewer/terrain_painter.cpp", "epoxy/gl.h") == 1);
    CHECK(count("client-stub/viewer/gl.h", "epoxy/gl.h") == 0);
    CHECK(count("shared/config/config_table.cpp", "toml++/toml.h") == 1);
    CHECK(count("server/app/zone_config.cpp", "CLI/CLI.hpp") == 1);
    CHECK(count("server/net/tcp.cpp", "spdlog/spdlog.h") == 1);
    CHECK(count("server/net/tcp.cpp", "boost/asio.hpp") == 1);  // unknown: not let in
    CHECK(count("shared/core/clock.cpp", "unistd.h") == 1);
    CHECK(count("shared/core/clock.cpp", "sys/mman.h") == 1);
    CHECK(count("server/store/folder_lock.cpp", "sys/file.h") == 0);
    CHECK(count("shared/voxel/chunk.cpp", "vector") == 0);
    CHECK(count("shared/voxel/chunk.cpp", "doctest/doctest.h") == 1);
}

TEST_CASE("tidy rules: a source whose own header does not come first is found") {
    const SourceFile late =
        make_source("shared/voxel/a.cpp", "#include <vector>\n#include \"shared/voxel/a.h\"\n");
    CHECK(check_own_header_first(late, true).size() == 1);
    CHECK(check_own_header_first(late, false).empty());
    const SourceFile first =
        make_source("shared/voxel/a.cpp", "#include \"shared/voxel/a.h\"\n#include <vector>\n");
    CHECK(check_own_header_first(first, true).empty());
}

TEST_CASE("tidy rules: lengths are found one past the limit") {
    const auto count = [](const std::string& text) {
        return check_lengths(make_source("a.cpp", text)).size();
    };
    CHECK(count(repeat("\n", 800)) == 0);
    CHECK(count(repeat("\n", 801)) == 1);
    CHECK(count(repeat("x", 100) + "\n") == 0);
    CHECK(count(repeat("x", 101) + "\n") == 1);
    CHECK(count(repeat("\xc3\xa9", 100) + "\n") == 0);  // letters, not bytes
    CHECK(count("\tx\n") == 1);
    CHECK(count("x \n") == 1);
    CHECK(count("x") == 1);
}

TEST_CASE("tidy rules: a function of 71 lines is found, whatever surrounds it") {
    const auto body = [](std::size_t lines) { return "{\n" + repeat("x();\n", lines - 2) + "}\n"; };
    const auto count = [](const std::string& text) {
        return check_function_lengths(make_source("a.cpp", text)).size();
    };
    CHECK(count("void f() " + body(70)) == 0);
    CHECK(count("void f() " + body(71)) == 1);
    CHECK(count("namespace a {\nnamespace {\nint f(int x)\n    const " + body(71) + "}\n}\n") == 1);
    CHECK(count("class A {\n  public:\n    void f() " + body(71) + "};\n") == 1);
    CHECK(count("A::A(int x)\n    : x_(x) " + body(71)) == 1);
    CHECK(count("TEST_CASE(\"x { y\") " + body(71)) == 1);
    CHECK(count("struct Long " + body(200) + ";\n") == 0);
    CHECK(count("const Table table = " + body(200) + ";\n") == 0);
    CHECK(count("namespace long_one " + body(200)) == 0);
    // Two functions of 60 lines are none of 120, and a lambda belongs to its function.
    CHECK(count("void f() " + body(60) + "void g() " + body(60)) == 0);
    CHECK(count("void f() {\nauto g = [](int) " + body(69) + ";\n}\n") == 1);
}

TEST_CASE("tidy rules: types at namespace level are found, nested and unnamed ones are not") {
    const auto names = [](const std::string& text) {
        std::string all;
        for (const TypeName& type : types_of(make_source("a.h", text))) {
            all += type.name + " ";
        }
        return all;
    };
    const auto inside = [&](const std::string& text) {
        return names("namespace terrane {\n" + text + "}\n");
    };
    CHECK(inside("struct A {\n    int x{1};\n};\n") == "A ");
    CHECK(inside("class A final : public B {};\n") == "A ");
    CHECK(inside("enum class A : std::uint8_t { x, y };\nenum B : int { z };\n") == "A B ");
    CHECK(inside("template <typename T, class U>\nstruct A {};\nunion B {};\n") == "A B ");
    CHECK(inside("struct A { struct B { int x; }; enum class C { y }; };\n") == "A ");
    CHECK(inside("struct A::B {};\ntemplate <>\nstruct C<int> {};\n").empty());
    CHECK(inside("struct A;\nclass B;\nusing C = D<struct Tag>;\n").empty());
    CHECK(inside("namespace {\nstruct A {};\n}\nstruct B {};\n") == "B ");
    CHECK(inside("namespace test {\nstruct A {};\n}\n") == "test::A ");
    CHECK(inside("void f() {\n    struct A {};\n}\nstruct B f(struct C c) {}\n").empty());
    CHECK(inside("// struct A {\nconst char* s = \"struct B {\";\n").empty());
}

TEST_CASE("tidy rules: a type's name in two rooms of one side is found") {
    std::vector<SourceFile> files;
    const std::string body = "namespace terrane {\nstruct Body {};\n}\n";
    files.push_back(make_source("client-stub/bots/body.h", body));
    files.push_back(make_source("server/physics/body_table.h", body));
    CHECK(check_type_names(files, {"shared/", "server/"}).empty());
    files.push_back(make_source("server/world/world.cpp", body));
    const std::vector<Finding> findings = check_type_names(files, {"shared/", "server/"});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].path == "server/world/world.cpp");
    CHECK(findings[0].line == 2);
    CHECK(findings[0].what.find("server/physics/body_table.h:2") != std::string::npos);
    CHECK(check_type_names(files, {"shared/", "client-stub/"}).empty());
}

TEST_CASE("tidy rules: marks of unfinished work and empty names are found") {
    const auto count = [](const std::string& path, const std::string& text) {
        return check_words(make_source(path, text)).size();
    };
    const std::string mark = std::string("TO") + "DO";
    CHECK(count("a.cpp", "// " + mark + ": later\n") == 1);
    CHECK(count("a.cpp", "int " + mark + "_count;\n") == 0);
    CHECK(count("a.cpp", "class ChunkManager;\n") == 1);
    CHECK(count("a.cpp", "struct StoreImpl;\n") == 1);
    CHECK(count("a.cpp", "void run_helper();\n") == 1);
    CHECK(count("a.cpp", "// the Manager of a comment\nint base_rate;\nint x_base;\n") == 0);
    CHECK(count("a.cpp", "const char* s = \"ChunkManager\";\n") == 0);
    CHECK(count("shared/core/utils.h", "") == 1);
    CHECK(count("shared/core/string_utils.h", "") == 1);
    CHECK(count("shared/core/handle.h", "") == 0);
}

TEST_CASE("tidy rules: a header without its paragraph or its guard is found") {
    const auto count = [](const std::string& text) {
        return check_header_start(make_source("a.h", text)).size();
    };
    const std::string paragraph = "// What a chunk is, and how it is stored.\n";
    CHECK(count(paragraph + "#pragma once\n") == 0);
    CHECK(count(paragraph + "//\n// More.\n\n#pragma once\n#include <x>\n") == 0);
    CHECK(count("#pragma once\n" + paragraph) == 1);
    CHECK(count("// Chunk.\n#pragma once\n") == 1);
    CHECK(count(paragraph + "#include <x>\n#pragma once\n") == 1);
    CHECK(count(paragraph) == 1);
    CHECK(count("") == 1);
}

TEST_CASE("tidy rules: what a schema loses or moves is found, what it gains is not") {
    const std::string old_text =
        "namespace a;\nfile_identifier \"ABCD\";\n// table Gone { }\ntable T {\n  a:int; // b:int\n"
        "  b:string;\n}\nstruct S { x:float; y:float; }\nenum E : ubyte { one = 1, two }\n"
        "union U { T }\nroot_type T;\n";
    const Schema released = parse_schema(old_text);
    REQUIRE(released.types.size() == 4);
    CHECK(released.types.at("E").members[1] == std::pair<std::string, std::string>("two", "2"));
    const auto breaks = [&](const std::string& from, const std::string& to) {
        std::string text = old_text;
        const std::size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        text.replace(at, from.size(), to);
        return check_schema("s.fbs", released, parse_schema(text)).size();
    };
    CHECK(breaks("b:string;", "") == 1);  // flatc --conform accepts these
    CHECK(breaks("y:float; }", "y:float; z:float; }") == 1);
    CHECK(breaks(", two", "") == 1);
    CHECK(breaks("union U { T }", "") == 1);
    CHECK(breaks("ABCD", "ABCE") == 1);
    CHECK(breaks("a:int; //", "b:int; //") == 1);
    CHECK(breaks("a:int; //", "a:long; //") == 1);
    CHECK(breaks("a:int; //", "a:int = 3; //") == 1);
    CHECK(breaks("E : ubyte", "E : ushort") == 1);
    CHECK(breaks("one = 1", "one = 2") == 1);
    CHECK(breaks("root_type T", "root_type U") == 1);
    CHECK(breaks("struct S", "table S") >= 1);
    CHECK(breaks("b:string;", "b:string;\n  c:int;") == 0);
    CHECK(breaks("two }", "two, three }") == 0);
    CHECK(breaks("root_type", "table New { x:int; }\nroot_type") == 0);
}

TEST_CASE("tidy rules: rooms without tests and pages without packages are found") {
    std::vector<SourceFile> files;
    files.push_back(make_source("shared/voxel/chunk.cpp", ""));
    files.push_back(make_source("shared/shape/ball.cpp", ""));
    files.push_back(make_source("client-stub/bots/main.cpp", ""));
    files.push_back(make_source("tests/shared/voxel/other_test.cpp", ""));
    const std::vector<Finding> findings = check_mirrored_tests(files);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].path == "shared/shape/ball.cpp");

    const std::string packages = "# part package\nbuild g++\nviewer libx-dev\n";
    CHECK(check_dependency_page(packages, "| `g++` | x |\n| `libx-dev` | y |\n").empty());
    CHECK(check_dependency_page(packages, "| `g++` | x |\n").size() == 1);
    CHECK(check_dependency_page(packages, "| `g++` |\n| `libx-dev` |\n| `liby` |\n").size() == 1);
}

}  // namespace
}  // namespace terrane
