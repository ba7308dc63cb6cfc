// What the shaders of ground share, of that which lies and of pieces that were cut off from it: how
// a vertex blends two materials of the look table, and how a point of their surface is coloured,
// roughened by noise and lit. The noise is of the frame in which the surface stands still, so that
// it turns with what turns.
#pragma once

#include <array>
#include <string_view>

#include "client-stub/viewer/gl.h"

namespace terrane {

/// Of TerrainVertex, as the vertex text reads it.
extern const std::array<VertexAttribute, 4> kGroundAttributes;

/// Links a program of vertex inputs as above, the outputs v_place, v_normal (both of the surface's
/// own frame), v_relative, v_light, v_colour and v_look, and the two texts, which may call
///   void blend_materials()                  fills v_light, v_colour and v_look
///   vec3 lit_ground(mat3 turn, vec4 tint)   linear, without fog; `turn` from the surface's frame
///                                           to the zone's axes; `tint` is laid over the surface's
///                                           own colours, by alpha
Result<GlProgram> link_ground(std::string_view label, std::string_view vertex_text,
                              std::string_view fragment_text);

}  // namespace terrane
