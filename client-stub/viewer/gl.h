// The one module that talks to OpenGL (3.3 core, loaded by libepoxy): programs, meshes, textures,
// framebuffers, render state and reading back. Nothing of OpenGL's own types or names leaves it, so
// another graphics interface would replace this file alone.
//
// Every object belongs to the context that was current when it was made, and must be destroyed
// while that context is current. Thread: the one that owns the context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/core/result.h"
#include "shared/math/vec.h"

namespace terrane {

enum class GlObjectKind : std::uint8_t {
    program,
    buffer,
    vertex_array,
    texture,
    framebuffer,
    renderbuffer
};

/// Owner of one OpenGL name; 0 = none.
class GlObject {
  public:
    GlObject() = default;
    GlObject(GlObjectKind kind, unsigned name) : kind_(kind), name_(name) {}
    GlObject(GlObject&& other) noexcept;
    GlObject& operator=(GlObject&& other) noexcept;
    GlObject(const GlObject&) = delete;
    GlObject& operator=(const GlObject&) = delete;
    ~GlObject();

    unsigned name() const { return name_; }

  private:
    GlObjectKind kind_ = GlObjectKind::buffer;
    unsigned name_ = 0;
};

/// A linked pair of shaders. The texts follow one another after `#version 330 core`.
class GlProgram {
  public:
    static Result<GlProgram> link(std::string_view label,
                                  std::span<const std::string_view> vertex_texts,
                                  std::span<const std::string_view> fragment_texts);

    void use() const;
    /// The program must be in use. A name that the compiler removed is ignored.
    void set(const char* name, float value) const;
    void set(const char* name, const Vec3& value) const;
    void set(const char* name, const Vec4& value) const;
    void set(const char* name, const Mat4& value) const;
    /// The uniform block `block` reads binding point `binding`.
    void bind_block(const char* block, unsigned binding) const;
    /// The sampler `name` reads texture unit `unit`. Makes the program the one in use.
    void bind_sampler(const char* name, int unit) const;

  private:
    GlObject program_;
};

enum class VertexType : std::uint8_t { float32, int16, int8_normalized, uint8_normalized, uint8 };

/// One input of a vertex shader: `count` values of `type` at `offset` bytes in a vertex. uint8
/// arrives as an unsigned integer, everything else as floats.
struct VertexAttribute {
    unsigned location = 0;
    int count = 3;
    VertexType type = VertexType::float32;
    std::size_t offset = 0;
};

/// Indexed triangles on the graphics card.
class GlMesh {
  public:
    GlMesh() = default;
    GlMesh(std::span<const std::byte> vertices, std::size_t vertex_bytes,
           std::span<const VertexAttribute> attributes, std::span<const std::uint32_t> indices);

    void draw() const { draw(index_count_); }
    /// The first `index_count` indices only.
    void draw(std::size_t index_count) const;
    bool is_empty() const { return index_count_ == 0; }
    std::size_t index_count() const { return index_count_; }

  private:
    GlObject array_;
    GlObject vertices_;
    GlObject indices_;
    std::size_t index_count_ = 0;
};

/// Triangles that the vertex shader makes from their numbers alone, such as one that fills the
/// screen.
class GlEmptyMesh {
  public:
    GlEmptyMesh();
    void draw_triangles(std::size_t triangle_count) const;

  private:
    GlObject array_;
};

/// A block of uniforms shared by programs (std140).
class GlUniformBlock {
  public:
    explicit GlUniformBlock(std::size_t bytes);
    void upload(std::span<const std::byte> bytes) const;
    void bind(unsigned binding) const;

  private:
    GlObject buffer_;
    std::size_t bytes_ = 0;
};

/// A row of four-float texels, read by number: tables that shaders look things up in.
class GlTable {
  public:
    explicit GlTable(std::span<const Vec4> texels);
    void bind(int unit) const;

  private:
    GlObject texture_;
};

struct ImageSize {
    int width = 0;
    int height = 0;

    friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

/// 8-bit RGB, rows from the top.
struct Image {
    ImageSize size;
    std::vector<std::uint8_t> rgb;
};

/// Colour and depth to draw into when there is no window.
class GlFramebuffer {
  public:
    static Result<GlFramebuffer> create(ImageSize size);

    void bind() const;
    ImageSize size() const { return size_; }
    Image read_rgb() const;
    /// Scales with a linear filter; half the size in both directions is the mean of 2 x 2 pixels.
    void copy_to(const GlFramebuffer& target) const;

  private:
    GlObject framebuffer_;
    GlObject colour_;
    GlObject depth_;
    ImageSize size_;
};

/// Depth alone, seen from a light; shaders sample it with comparison.
class GlShadowMap {
  public:
    static Result<GlShadowMap> create(int side_pixels);

    /// Binds it as the target and clears it.
    void begin() const;
    void bind_texture(int unit) const;
    int side_pixels() const { return side_; }

  private:
    GlObject framebuffer_;
    GlObject depth_;
    int side_ = 0;
};

/// Draws go to the window's own framebuffer again.
void bind_window_framebuffer();

struct RenderState {
    bool depth_test = true;
    bool depth_write = true;
    bool blend = false;         ///< source over, by alpha
    bool cull_back = true;      ///< counter-clockwise is front
    bool depth_offset = false;  ///< pushes depth away from the viewer: for shadow maps

    friend bool operator==(const RenderState&, const RenderState&) = default;
};

void set_render_state(const RenderState& state);
void set_viewport(ImageSize size);
void clear_colour_and_depth();
/// Waits until everything asked for is drawn.
void finish_drawing();
/// Draw calls since the program started.
std::uint64_t draw_call_count();
/// "llvmpipe (LLVM 15.0.6, 256 bits), 4.5 (Core Profile) Mesa 22.3.6"
std::string describe_gl();
/// Fails with the first pending error's name; clears them all.
Result<void> check_gl(std::string_view where);

}  // namespace terrane
