// Which materials of a zone a player may place, in the table's order: the n-th is what the digit n
// chooses, with a key of the window as in a script.
#pragma once

#include <string_view>
#include <vector>

#include "shared/core/result.h"
#include "shared/voxel/material.h"

namespace terrane {

std::vector<MaterialId> placeable_materials(const MaterialTable& materials);

/// A placeable material's name, or its number from 1 to 9.
Result<MaterialId> find_placeable(const MaterialTable& materials, std::string_view text);

}  // namespace terrane
