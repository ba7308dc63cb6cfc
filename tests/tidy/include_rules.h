// Who may include whom. Rooms include downwards only, and only what their CMakeLists.txt links;
// every third-party library stays where it was let in.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/tidy/source_file.h"

namespace terrane {

/// Room -> rooms of its link list, as written in CMakeLists.txt ("shared_voxel" -> "shared/voxel").
using RoomLinks = std::map<std::string, std::set<std::string>>;

/// Reads terrane_room(...) of every room below `root`.
RoomLinks read_room_links(const std::string& root);
/// Adds the rooms of one CMakeLists.txt.
void parse_room_links(const std::string& cmake, RoomLinks& links);

/// Includes of other rooms that point upwards or sideways.
std::vector<Finding> check_directions(const SourceFile& file);
/// Includes of rooms that the room does not link, directly or through what it links.
std::vector<Finding> check_links(const SourceFile& file, const RoomLinks& links);
/// Third-party and operating system headers in places that are not theirs.
std::vector<Finding> check_libraries(const SourceFile& file);
/// X.cpp includes X.h first: so every header compiles alone.
std::vector<Finding> check_own_header_first(const SourceFile& file, bool has_own_header);

}  // namespace terrane
