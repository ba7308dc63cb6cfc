#include "client-stub/viewer/render_lists.h"

#include <algorithm>

namespace terrane {

RenderLists::RenderLists() {
    // The sky after the solid things: it then costs only the pixels that they left free.
    order_ = {RenderListId::light,       RenderListId::solid,  RenderListId::sky_box,
              RenderListId::translucent, RenderListId::user_7, RenderListId::user_8,
              RenderListId::user_9};
    set_state(RenderListId::sky_box,
              {.depth_test = true, .depth_write = false, .blend = false, .cull_back = false});
    // Both sides: a player's eye may come to lie inside the ground, which is dark, not empty.
    set_state(RenderListId::solid, {.cull_back = false});
    set_state(RenderListId::translucent,
              {.depth_test = true, .depth_write = false, .blend = true, .cull_back = false});
    // The last of the user's lists lie over the picture: 7 where nothing hides it.
    set_state(RenderListId::user_7,
              {.depth_test = true, .depth_write = false, .blend = true, .cull_back = false});
    for (const RenderListId over : {RenderListId::user_8, RenderListId::user_9}) {
        set_state(over,
                  {.depth_test = false, .depth_write = false, .blend = true, .cull_back = false});
    }
    set_state(RenderListId::shadow, {.depth_test = true,
                                     .depth_write = true,
                                     .blend = false,
                                     .cull_back = false,
                                     .depth_offset = true});
}

void RenderLists::clear() {
    for (List& list : lists_) {
        list.items.clear();
    }
}

void RenderLists::add(RenderListId list, const RenderItem& item) {
    at(list).items.push_back(item);
}

void RenderLists::sort() {
    // Stable: what stands equally far keeps the order in which it was added, frame after frame.
    std::ranges::stable_sort(at(RenderListId::solid).items, std::ranges::less{},
                             &RenderItem::distance_m);
    std::ranges::stable_sort(at(RenderListId::translucent).items, std::ranges::greater{},
                             &RenderItem::distance_m);
}

void RenderLists::draw() const {
    for (const RenderListId list : order_) {
        draw(list);
    }
}

void RenderLists::draw(RenderListId list) const {
    if (at(list).items.empty()) {
        return;
    }
    set_render_state(at(list).state);
    const Painter* current = nullptr;
    for (const RenderItem& item : at(list).items) {
        if (item.painter != current) {
            item.painter->begin_painting();
            current = item.painter;
        }
        item.painter->paint(item.index);
    }
    set_render_state(RenderState{});
}

void RenderLists::set_order(std::span<const RenderListId> order) {
    order_.assign(order.begin(), order.end());
}

void RenderLists::set_state(RenderListId list, const RenderState& state) {
    at(list).state = state;
}

}  // namespace terrane
