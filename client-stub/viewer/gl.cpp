#include "client-stub/viewer/gl.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <utility>

#include "shared/core/assert.h"

namespace terrane {

namespace {

std::uint64_t draw_calls = 0;  // a figure for people, of one thread

void destroy(GlObjectKind kind, GLuint name) {
    switch (kind) {
        case GlObjectKind::program:
            glDeleteProgram(name);
            break;
        case GlObjectKind::buffer:
            glDeleteBuffers(1, &name);
            break;
        case GlObjectKind::vertex_array:
            glDeleteVertexArrays(1, &name);
            break;
        case GlObjectKind::texture:
            glDeleteTextures(1, &name);
            break;
        case GlObjectKind::framebuffer:
            glDeleteFramebuffers(1, &name);
            break;
        case GlObjectKind::renderbuffer:
            glDeleteRenderbuffers(1, &name);
            break;
    }
}

GlObject generate(GlObjectKind kind) {
    GLuint name = 0;
    switch (kind) {
        case GlObjectKind::program:
            name = glCreateProgram();
            break;
        case GlObjectKind::buffer:
            glGenBuffers(1, &name);
            break;
        case GlObjectKind::vertex_array:
            glGenVertexArrays(1, &name);
            break;
        case GlObjectKind::texture:
            glGenTextures(1, &name);
            break;
        case GlObjectKind::framebuffer:
            glGenFramebuffers(1, &name);
            break;
        case GlObjectKind::renderbuffer:
            glGenRenderbuffers(1, &name);
            break;
    }
    return {kind, name};
}

void switch_on(GLenum capability, bool is_on) {
    if (is_on) {
        glEnable(capability);
    } else {
        glDisable(capability);
    }
}

}  // namespace

GlObject::GlObject(GlObject&& other) noexcept
    : kind_(other.kind_), name_(std::exchange(other.name_, 0)) {}

GlObject& GlObject::operator=(GlObject&& other) noexcept {
    if (this != &other) {
        if (name_ != 0) {
            destroy(kind_, name_);
        }
        kind_ = other.kind_;
        name_ = std::exchange(other.name_, 0);
    }
    return *this;
}

GlObject::~GlObject() {
    if (name_ != 0) {
        destroy(kind_, name_);
    }
}

// --- programs

namespace {

Result<GLuint> compile(std::string_view label, GLenum stage,
                       std::span<const std::string_view> texts) {
    std::string whole = "#version 330 core\n";
    for (const std::string_view text : texts) {
        whole += text;
        whole += '\n';
    }
    const GLuint shader = glCreateShader(stage);
    const char* source = whole.c_str();
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    GLint is_good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &is_good);
    if (is_good == 0) {
        std::array<char, 2048> text{};
        glGetShaderInfoLog(shader, static_cast<GLsizei>(text.size()), nullptr, text.data());
        glDeleteShader(shader);
        return fail("the {} shader of '{}' does not compile: {}",
                    stage == GL_VERTEX_SHADER ? "vertex" : "fragment", label, text.data());
    }
    return shader;
}

}  // namespace

Result<GlProgram> GlProgram::link(std::string_view label,
                                  std::span<const std::string_view> vertex_texts,
                                  std::span<const std::string_view> fragment_texts) {
    const auto vertex = compile(label, GL_VERTEX_SHADER, vertex_texts);
    if (!vertex) {
        return std::unexpected(vertex.error());
    }
    const auto fragment = compile(label, GL_FRAGMENT_SHADER, fragment_texts);
    if (!fragment) {
        glDeleteShader(*vertex);
        return std::unexpected(fragment.error());
    }
    GlProgram result;
    result.program_ = generate(GlObjectKind::program);
    const GLuint name = result.program_.name();
    glAttachShader(name, *vertex);
    glAttachShader(name, *fragment);
    glLinkProgram(name);
    glDeleteShader(*vertex);
    glDeleteShader(*fragment);
    GLint is_good = 0;
    glGetProgramiv(name, GL_LINK_STATUS, &is_good);
    if (is_good == 0) {
        std::array<char, 2048> text{};
        glGetProgramInfoLog(name, static_cast<GLsizei>(text.size()), nullptr, text.data());
        return fail("the shaders of '{}' do not fit together: {}", label, text.data());
    }
    return result;
}

void GlProgram::use() const {
    glUseProgram(program_.name());
}

void GlProgram::set(const char* name, float value) const {
    glUniform1f(glGetUniformLocation(program_.name(), name), value);
}

void GlProgram::set(const char* name, const Vec3& value) const {
    glUniform3fv(glGetUniformLocation(program_.name(), name), 1, &value.x);
}

void GlProgram::set(const char* name, const Vec4& value) const {
    glUniform4fv(glGetUniformLocation(program_.name(), name), 1, &value.x);
}

void GlProgram::set(const char* name, const Mat4& value) const {
    glUniformMatrix4fv(glGetUniformLocation(program_.name(), name), 1, GL_FALSE, &value[0].x);
}

void GlProgram::bind_block(const char* block, unsigned binding) const {
    const GLuint index = glGetUniformBlockIndex(program_.name(), block);
    if (index != GL_INVALID_INDEX) {
        glUniformBlockBinding(program_.name(), index, binding);
    }
}

void GlProgram::bind_sampler(const char* name, int unit) const {
    use();
    glUniform1i(glGetUniformLocation(program_.name(), name), unit);
}

// --- meshes and buffers

GlMesh::GlMesh(std::span<const std::byte> vertices, std::size_t vertex_bytes,
               std::span<const VertexAttribute> attributes, std::span<const std::uint32_t> indices)
    : index_count_(indices.size()) {
    if (indices.empty()) {
        return;
    }
    array_ = generate(GlObjectKind::vertex_array);
    vertices_ = generate(GlObjectKind::buffer);
    indices_ = generate(GlObjectKind::buffer);
    glBindVertexArray(array_.name());
    glBindBuffer(GL_ARRAY_BUFFER, vertices_.name());
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size()), vertices.data(),
                 GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices_.name());
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(indices.size_bytes()),
                 indices.data(), GL_STATIC_DRAW);
    const auto stride = static_cast<GLsizei>(vertex_bytes);
    for (const VertexAttribute& attribute : attributes) {
        // OpenGL takes the offset into the bound buffer as a pointer.
        const void* offset = static_cast<const char*>(nullptr) + attribute.offset;
        glEnableVertexAttribArray(attribute.location);
        switch (attribute.type) {
            case VertexType::float32:
                glVertexAttribPointer(attribute.location, attribute.count, GL_FLOAT, GL_FALSE,
                                      stride, offset);
                break;
            case VertexType::int16:
                glVertexAttribPointer(attribute.location, attribute.count, GL_SHORT, GL_FALSE,
                                      stride, offset);
                break;
            case VertexType::int8_normalized:
                glVertexAttribPointer(attribute.location, attribute.count, GL_BYTE, GL_TRUE, stride,
                                      offset);
                break;
            case VertexType::uint8_normalized:
                glVertexAttribPointer(attribute.location, attribute.count, GL_UNSIGNED_BYTE,
                                      GL_TRUE, stride, offset);
                break;
            case VertexType::uint8:
                glVertexAttribIPointer(attribute.location, attribute.count, GL_UNSIGNED_BYTE,
                                       stride, offset);
                break;
        }
    }
    glBindVertexArray(0);
}

void GlMesh::draw(std::size_t index_count) const {
    if (index_count == 0) {
        return;
    }
    glBindVertexArray(array_.name());
    glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(index_count), GL_UNSIGNED_INT, nullptr);
    ++draw_calls;
}

GlEmptyMesh::GlEmptyMesh() : array_(generate(GlObjectKind::vertex_array)) {}

void GlEmptyMesh::draw_triangles(std::size_t triangle_count) const {
    glBindVertexArray(array_.name());
    glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(3 * triangle_count));
    ++draw_calls;
}

GlUniformBlock::GlUniformBlock(std::size_t bytes)
    : buffer_(generate(GlObjectKind::buffer)), bytes_(bytes) {
    glBindBuffer(GL_UNIFORM_BUFFER, buffer_.name());
    glBufferData(GL_UNIFORM_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_DYNAMIC_DRAW);
}

void GlUniformBlock::upload(std::span<const std::byte> bytes) const {
    TERRANE_ASSERT(bytes.size() == bytes_);
    glBindBuffer(GL_UNIFORM_BUFFER, buffer_.name());
    glBufferSubData(GL_UNIFORM_BUFFER, 0, static_cast<GLsizeiptr>(bytes.size()), bytes.data());
}

void GlUniformBlock::bind(unsigned binding) const {
    glBindBufferBase(GL_UNIFORM_BUFFER, binding, buffer_.name());
}

GlTable::GlTable(std::span<const Vec4> texels) : texture_(generate(GlObjectKind::texture)) {
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture_.name());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, static_cast<GLsizei>(texels.size()), 1, 0, GL_RGBA,
                 GL_FLOAT, texels.data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void GlTable::bind(int unit) const {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(GL_TEXTURE_2D, texture_.name());
}

// --- targets

Result<GlFramebuffer> GlFramebuffer::create(ImageSize size) {
    GLint side_max = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &side_max);
    if (size.width < 1 || size.height < 1 || size.width > side_max || size.height > side_max) {
        return fail("a picture of {}x{} pixels: each side must be 1 to {}", size.width, size.height,
                    side_max);
    }
    GlFramebuffer result;
    result.size_ = size;
    result.colour_ = generate(GlObjectKind::renderbuffer);
    result.depth_ = generate(GlObjectKind::renderbuffer);
    result.framebuffer_ = generate(GlObjectKind::framebuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, result.colour_.name());
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, size.width, size.height);
    glBindRenderbuffer(GL_RENDERBUFFER, result.depth_.name());
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, size.width, size.height);
    result.bind();
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              result.colour_.name());
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                              result.depth_.name());
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        return fail("this OpenGL cannot draw into a {}x{} picture", size.width, size.height);
    }
    return result;
}

void GlFramebuffer::bind() const {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
}

Image GlFramebuffer::read_rgb() const {
    Image image{size_, {}};
    const std::size_t row_bytes = 3 * static_cast<std::size_t>(size_.width);
    const auto height = static_cast<std::size_t>(size_.height);
    image.rgb.resize(row_bytes * height);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.name());
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, size_.width, size_.height, GL_RGB, GL_UNSIGNED_BYTE, image.rgb.data());
    for (std::size_t y = 0; y < height / 2; ++y) {  // OpenGL's rows start at the bottom
        const auto low = image.rgb.begin() + static_cast<std::ptrdiff_t>(y * row_bytes);
        const auto high =
            image.rgb.begin() + static_cast<std::ptrdiff_t>((height - 1 - y) * row_bytes);
        std::swap_ranges(low, low + static_cast<std::ptrdiff_t>(row_bytes), high);
    }
    return image;
}

void GlFramebuffer::copy_to(const GlFramebuffer& target) const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.name());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target.framebuffer_.name());
    glBlitFramebuffer(0, 0, size_.width, size_.height, 0, 0, target.size_.width,
                      target.size_.height, GL_COLOR_BUFFER_BIT, GL_LINEAR);
}

Result<GlShadowMap> GlShadowMap::create(int side_pixels) {
    GlShadowMap result;
    result.side_ = side_pixels;
    result.depth_ = generate(GlObjectKind::texture);
    result.framebuffer_ = generate(GlObjectKind::framebuffer);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, result.depth_.name());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, side_pixels, side_pixels, 0,
                 GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glBindFramebuffer(GL_FRAMEBUFFER, result.framebuffer_.name());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, result.depth_.name(),
                           0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        return fail("this OpenGL cannot draw a shadow map of {0}x{0}", side_pixels);
    }
    return result;
}

void GlShadowMap::begin() const {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
    glViewport(0, 0, side_, side_);
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
}

void GlShadowMap::bind_texture(int unit) const {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(GL_TEXTURE_2D, depth_.name());
}

void bind_window_framebuffer() {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

// --- state

void set_render_state(const RenderState& state) {
    switch_on(GL_DEPTH_TEST, state.depth_test);
    glDepthMask(state.depth_write ? GL_TRUE : GL_FALSE);
    glDepthFunc(GL_LEQUAL);
    switch_on(GL_BLEND, state.blend);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    switch_on(GL_CULL_FACE, state.cull_back);
    switch_on(GL_POLYGON_OFFSET_FILL, state.depth_offset);
    glPolygonOffset(2.0F, 4.0F);
}

void set_viewport(ImageSize size) {
    glViewport(0, 0, size.width, size.height);
}

void clear_colour_and_depth() {
    glDepthMask(GL_TRUE);
    glClearColor(0.0F, 0.0F, 0.0F, 1.0F);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

void finish_drawing() {
    glFinish();
}

std::uint64_t draw_call_count() {
    return draw_calls;
}

std::string describe_gl() {
    const auto text = [](GLenum what) {
        const GLubyte* bytes = glGetString(what);
        return bytes == nullptr ? std::string("?")
                                : std::string(reinterpret_cast<const char*>(bytes));
    };
    return text(GL_RENDERER) + ", " + text(GL_VERSION);
}

Result<void> check_gl(std::string_view where) {
    const GLenum first = glGetError();
    if (first == GL_NO_ERROR) {
        return {};
    }
    while (glGetError() != GL_NO_ERROR) {
    }
    return fail("OpenGL error 0x{:04x} in {}", static_cast<unsigned>(first), where);
}

}  // namespace terrane
