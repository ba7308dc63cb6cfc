// Render lists: what is drawn in a frame, sorted by the state it needs. Each list has one
// RenderState that is set once before its items are painted. Sixteen lists, drawn in an order that
// may be changed; an item may stand in several. Solid items go front to back (the depth test then
// spares what is hidden), translucent ones back to front (blending needs it), the rest as added.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "client-stub/viewer/gl.h"

namespace terrane {

enum class RenderListId : std::uint8_t {
    sky_box,
    light,
    solid,
    translucent,
    user_0,
    user_1,
    user_2,
    user_3,
    user_4,
    user_5,
    user_6,
    user_7,
    user_8,
    user_9,
    shadow,
    occlusion_test
};
inline constexpr std::size_t kRenderListCount = 16;

/// Draws one kind of thing. The lists call begin_painting() when the painter changes.
class Painter {
  public:
    virtual ~Painter() = default;

    virtual void begin_painting() = 0;
    virtual void paint(std::uint32_t index) = 0;
};

struct RenderItem {
    Painter* painter = nullptr;
    std::uint32_t index = 0;  ///< the painter's own number for it
    float distance_m = 0.0F;  ///< from the eye
};

class RenderLists {
  public:
    RenderLists();

    void clear();
    void add(RenderListId list, const RenderItem& item);
    void sort();
    /// Paints the lists of the order, each under its state.
    void draw() const;
    /// One list alone, under its state: the shadow pass.
    void draw(RenderListId list) const;

    /// Lists that `order` leaves out are not drawn by draw().
    void set_order(std::span<const RenderListId> order);
    void set_state(RenderListId list, const RenderState& state);
    std::span<const RenderListId> order() const { return order_; }
    std::span<const RenderItem> items(RenderListId list) const { return at(list).items; }

  private:
    struct List {
        RenderState state;
        std::vector<RenderItem> items;
    };
    List& at(RenderListId list) { return lists_[static_cast<std::size_t>(list)]; }
    const List& at(RenderListId list) const { return lists_[static_cast<std::size_t>(list)]; }

    std::array<List, kRenderListCount> lists_;
    std::vector<RenderListId> order_;
};

}  // namespace terrane
