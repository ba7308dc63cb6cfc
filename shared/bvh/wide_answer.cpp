// Walks of the wide tree. With SIMD this file is compiled once for each kind of processor
// (foreach_target), walks and all, so that a node's test is inlined where it is used. The kernels
// do the operations of probe.h and shared/math in their order, unfused: the scalar twin, which is
// those functions slot by slot, answers with the same bits.
#include "shared/bvh/wide_ask.h"

#ifdef TERRANE_SIMD
// x86-64 without SSE4, SSE4, AVX2; eight slots fill no wider vector. SVE's vectors have no size, so
// that no struct can hold them: NEON there.
#define HWY_DISABLED_TARGETS \
    (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shared/bvh/wide_answer.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#define TERRANE_TARGET HWY_NAMESPACE
#else
#define TERRANE_TARGET scalar_only
#endif

#include <bit>

#include "shared/bvh/binary_walk.h"
#include "shared/bvh/plain_walk.h"

#ifdef TERRANE_SIMD
HWY_BEFORE_NAMESPACE();
#endif
namespace terrane::TERRANE_TARGET {
namespace {

struct ScalarRay {
    const RayProbe& probe;

    std::uint32_t enter(const WideNode& node, float limit, float* enters) const {
        std::uint32_t met = 0;
        for (std::uint32_t slot = 0; slot < kWideSlots; ++slot) {
            enters[slot] = enter_box(probe, slot_box(node, slot), limit);
            met |= enters[slot] != kNoHit ? 1U << slot : 0U;
        }
        return met;
    }
};

template <typename Volume>
struct ScalarVolume {
    const Volume& volume;

    std::uint32_t meet(const WideNode& node) const {
        std::uint32_t met = 0;
        for (std::uint32_t slot = 0; slot < kWideSlots; ++slot) {
            met |= meets(volume, slot_box(node, slot)) ? 1U << slot : 0U;
        }
        return met;
    }
};

#ifdef TERRANE_SIMD
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, kWideSlots>;
using LaneVec = hn::Vec<Lanes>;
constexpr std::size_t kLanes = hn::MaxLanes(Lanes());

/// The mask's lanes as bits, from bit `slot` up.
template <typename Mask>
HWY_INLINE std::uint32_t bits_of(Mask mask, std::size_t slot) {
    std::uint8_t bits[8];
    hn::StoreMaskBits(Lanes(), mask, bits);
    return static_cast<std::uint32_t>(bits[0]) << slot;
}

HWY_INLINE LaneVec plane(const WideNode& node, std::size_t index, std::size_t slot) {
    return hn::Load(Lanes(), node.planes[index].data() + slot);
}

struct SimdRay {
    explicit SimdRay(const RayProbe& ray) : probe(ray) {}

    const RayProbe& probe;
    LaneVec inverse_x = hn::Set(Lanes(), probe.inverse.x);
    LaneVec inverse_y = hn::Set(Lanes(), probe.inverse.y);
    LaneVec inverse_z = hn::Set(Lanes(), probe.inverse.z);
    LaneVec near_x = hn::Set(Lanes(), probe.near_origin.x);
    LaneVec near_y = hn::Set(Lanes(), probe.near_origin.y);
    LaneVec near_z = hn::Set(Lanes(), probe.near_origin.z);
    LaneVec far_x = hn::Set(Lanes(), probe.far_origin.x);
    LaneVec far_y = hn::Set(Lanes(), probe.far_origin.y);
    LaneVec far_z = hn::Set(Lanes(), probe.far_origin.z);

    HWY_INLINE std::uint32_t enter(const WideNode& node, float limit, float* enters) const {
        std::uint32_t met = 0;
        for (std::size_t slot = 0; slot < kWideSlots; slot += kLanes) {
            const auto t = [&](std::size_t index, LaneVec origin, LaneVec inverse)
                               HWY_ATTR { return (plane(node, index, slot) - origin) * inverse; };
            const LaneVec in_x = t(probe.near_plane[0], near_x, inverse_x);
            const LaneVec in_y = t(probe.near_plane[1], near_y, inverse_y);
            const LaneVec in_z = t(probe.near_plane[2], near_z, inverse_z);
            const LaneVec out_x = t(probe.far_plane[0], far_x, inverse_x);
            const LaneVec out_y = t(probe.far_plane[1], far_y, inverse_y);
            const LaneVec out_z = t(probe.far_plane[2], far_z, inverse_z);
            const LaneVec in = hn::Max(hn::Max(in_x, in_y), hn::Max(in_z, hn::Zero(Lanes())));
            const LaneVec out =
                hn::Min(hn::Min(out_x, out_y), hn::Min(out_z, hn::Set(Lanes(), limit)));
            hn::Store(in, Lanes(), enters + slot);
            met |= bits_of(hn::Le(in, out), slot);
        }
        return met;
    }
};

struct SimdBox {
    explicit SimdBox(const Aabb& box) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = hn::Set(Lanes(), box.min[static_cast<int>(axis)]);
            high[axis] = hn::Set(Lanes(), box.max[static_cast<int>(axis)]);
        }
    }
    LaneVec low[3];
    LaneVec high[3];

    HWY_INLINE std::uint32_t meet(const WideNode& node) const {
        std::uint32_t met = 0;
        for (std::size_t slot = 0; slot < kWideSlots; slot += kLanes) {
            const auto x = hn::And(hn::Le(plane(node, 0, slot), high[0]),
                                   hn::Ge(plane(node, 3, slot), low[0]));
            const auto y = hn::And(hn::Le(plane(node, 1, slot), high[1]),
                                   hn::Ge(plane(node, 4, slot), low[1]));
            const auto z = hn::And(hn::Le(plane(node, 2, slot), high[2]),
                                   hn::Ge(plane(node, 5, slot), low[2]));
            met |= bits_of(hn::And(x, hn::And(y, z)), slot);
        }
        return met;
    }
};

struct SimdSphere {
    explicit SimdSphere(const Sphere& sphere)
        : radius_squared(hn::Set(Lanes(), sphere.radius * sphere.radius)) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            centre[axis] = hn::Set(Lanes(), sphere.centre[static_cast<int>(axis)]);
        }
    }
    LaneVec centre[3];
    LaneVec radius_squared;

    HWY_INLINE std::uint32_t meet(const WideNode& node) const {
        std::uint32_t met = 0;
        for (std::size_t slot = 0; slot < kWideSlots; slot += kLanes) {
            const auto squared = [&](std::size_t axis) HWY_ATTR {
                const LaneVec below = plane(node, axis, slot) - centre[axis];
                const LaneVec above = centre[axis] - plane(node, axis + 3, slot);
                const LaneVec away = hn::Max(hn::Max(below, above), hn::Zero(Lanes()));
                return away * away;
            };
            const LaneVec distance = squared(0) + squared(1) + squared(2);
            met |= bits_of(hn::Le(distance, radius_squared), slot);
        }
        return met;
    }
};

struct SimdFrustum {
    explicit SimdFrustum(const Frustum& view) : frustum(view) {
        for (std::size_t p = 0; p < 6; ++p) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const bool is_forward = view.planes[p].normal[static_cast<int>(axis)] >= 0.0F;
                corner[p][axis] = is_forward ? axis + 3 : axis;
            }
        }
    }
    const Frustum& frustum;
    std::size_t corner[6][3];  ///< the planes of the corner farthest along the normal

    HWY_INLINE std::uint32_t meet(const WideNode& node) const {
        std::uint32_t met = 0;
        for (std::size_t slot = 0; slot < kWideSlots; slot += kLanes) {
            auto is_in = hn::Le(plane(node, 0, slot), plane(node, 3, slot));
            for (std::size_t p = 0; p < 6; ++p) {
                const Plane3& side = frustum.planes[p];
                const auto part = [&](std::size_t axis) HWY_ATTR {
                    return hn::Set(Lanes(), side.normal[static_cast<int>(axis)]) *
                           plane(node, corner[p][axis], slot);
                };
                const LaneVec distance = part(0) + part(1) + part(2) + hn::Set(Lanes(), side.d);
                is_in = hn::And(is_in, hn::Ge(distance, hn::Zero(Lanes())));
            }
            met |= bits_of(is_in, slot);
        }
        return met;
    }
};
#endif

/// Pushes the met inner slots but the nearest, the nearer the later, and returns that one.
inline WalkStep nearest_inner(const WideNode& node, std::uint32_t inner, const float* enters,
                              WalkStack<WalkStep>& waiting) {
    auto slot = static_cast<std::uint32_t>(std::countr_zero(inner));
    WalkStep nearest{node.child[slot], enters[slot]};
    inner &= inner - 1;
    if (inner == 0) {
        return nearest;
    }
    std::array<WalkStep, kWideSlots> steps;
    std::size_t count = 0;
    for (; inner != 0; inner &= inner - 1) {
        slot = static_cast<std::uint32_t>(std::countr_zero(inner));
        WalkStep step{node.child[slot], enters[slot]};
        if (step.enter < nearest.enter) {
            std::swap(step, nearest);
        }
        std::size_t at = count++;
        for (; at > 0 && steps[at - 1].enter < step.enter; --at) {
            steps[at] = steps[at - 1];
        }
        steps[at] = step;
    }
    for (std::size_t i = 0; i < count; ++i) {
        waiting.push(steps[i]);
    }
    return nearest;
}

template <AskMode kMode, typename Kernel>
void walk_ray(const Kernel& kernel, RayAsk& ask) {
    const WideNode* nodes = ask.tree->nodes.data();
    float limit = ask.probe->t_max;
    alignas(64) float enters[kWideSlots];
    WalkStack<WalkStep> waiting;
    WalkStep step{0, 0.0F};
    while (true) {
        const WideNode& node = nodes[step.node];
        const std::uint32_t met = kernel.enter(node, limit, enters);
        for (std::uint32_t objects = met & node.object_mask; objects != 0; objects &= objects - 1) {
            const auto slot = static_cast<std::uint32_t>(std::countr_zero(objects));
            const std::uint32_t object = node.child[slot];
            float t = enters[slot] + 0.0F;  // never -0
            t = ask.test ? ask.test(object, t) : t;
            if (!(t <= limit) || t == kNoHit) {
                continue;
            }
            if constexpr (kMode == AskMode::all) {
                ask.hits->push_back({object, t});
            } else if (!ask.is_hit || t < limit || object < ask.best.object) {
                ask.is_hit = true;
                ask.best = {object, t};
                limit = t;
                if constexpr (kMode == AskMode::any) {
                    return;
                }
            }
        }
        const std::uint32_t inner = met & ~node.object_mask;
        step.enter = kNoHit;
        if (inner != 0) {
            step = nearest_inner(node, inner, enters, waiting);
        }
        // What lies beyond the best hit is dropped.
        while (!(step.enter <= limit) || step.enter == kNoHit) {
            if (waiting.is_empty()) {
                return;
            }
            step = waiting.pop();
        }
    }
}

template <typename Kernel>
void answer_ray(const Kernel& kernel, RayAsk& ask) {
    switch (ask.mode) {
        case AskMode::closest:
            walk_ray<AskMode::closest>(kernel, ask);
            break;
        case AskMode::any:
            walk_ray<AskMode::any>(kernel, ask);
            break;
        case AskMode::all:
            walk_ray<AskMode::all>(kernel, ask);
            break;
    }
}

/// Appends the children of the slots in `met` to `out`; where vectors can, without a branch, and
/// then up to kWideSlots places after `out` are written to. Returns how many they are.
inline std::size_t gather_children(const WideNode& node, std::uint32_t met, std::uint32_t* out) {
#ifdef TERRANE_SIMD
    if constexpr (kLanes == kWideSlots) {
        const hn::RebindToUnsigned<Lanes> children;
        const hn::Rebind<std::uint8_t, decltype(children)> bytes;
        const auto order = hn::PromoteTo(children, hn::LoadU(bytes, kSlotOrders[met].data()));
        const auto all = hn::Load(children, node.child.data());
        hn::StoreU(hn::TableLookupLanes(all, hn::IndicesFromVec(children, order)), children, out);
        return static_cast<std::size_t>(std::popcount(met));
    }
#endif
    std::size_t count = 0;
    for (; met != 0; met &= met - 1) {
        out[count++] = node.child[static_cast<std::uint32_t>(std::countr_zero(met))];
    }
    return count;
}

/// Sees the nodes in the order in which they were met, so that one need not wait for the one before
/// it, and no branch depends on how many slots of a node are met.
template <typename Kernel>
void walk_broad(const Kernel& kernel, std::size_t tail, std::size_t count, PlainWalk& walk,
                OverlapAsk& ask) {
    const WideNode* nodes = ask.tree->nodes.data();
    std::size_t head = 0;
    while (head < tail) {
        if (count >= PlainWalk::kBatch) [[unlikely]] {
            walk.hand_over(count, *ask.objects);
            count = 0;
        }
        if (tail > PlainWalk::kQueue) [[unlikely]] {
            tail = walk.make_room(head, tail);
            head = 0;
        }
        const WideNode& node = nodes[walk.queue[head++]];
        const std::uint32_t met = kernel.meet(node);
        count += gather_children(node, met & node.object_mask, walk.batch.data() + count);
        tail += gather_children(node, met & ~node.object_mask, walk.queue.data() + tail);
        if (head == tail && !walk.rest.empty()) [[unlikely]] {
            walk.queue[head - 1] = walk.rest.back();
            walk.rest.pop_back();
            --head;
        }
    }
    walk.hand_over(count, *ask.objects);
}

/// All objects, no test: what most callers ask. The last node first, while few slots are met: a
/// narrow volume's way is foretold well, and then costs less.
template <typename Kernel>
void walk_plain(const Kernel& kernel, OverlapAsk& ask) {
    const WideNode* nodes = ask.tree->nodes.data();
    PlainWalk walk;
    walk.queue[0] = 0;
    std::size_t tail = 1;
    std::size_t count = 0;
    while (tail > 0) {
        const WideNode& node = nodes[walk.queue[tail - 1]];
        const std::uint32_t met = kernel.meet(node);
        const std::uint32_t but_two = without_first(without_first(met));
        const bool is_many = without_first(without_first(but_two)) != 0;
        if (is_many || std::max(count, tail) >= PlainWalk::kBatch) {
            walk_broad(kernel, tail, count, walk, ask);
            return;
        }
        --tail;
        for (std::uint32_t objects = met & node.object_mask; objects != 0;
             objects = without_first(objects)) {
            walk.batch[count++] = node.child[static_cast<std::uint32_t>(std::countr_zero(objects))];
        }
        for (std::uint32_t inner = met & ~node.object_mask; inner != 0;
             inner = without_first(inner)) {
            walk.queue[tail++] = node.child[static_cast<std::uint32_t>(std::countr_zero(inner))];
        }
    }
    walk.hand_over(count, *ask.objects);
}

/// Takes the met objects of a node in; true: the walk is done.
template <AskMode kMode>
bool take_objects(const WideNode& node, std::uint32_t objects, OverlapAsk& ask) {
    for (; objects != 0; objects &= objects - 1) {
        const auto slot = static_cast<std::uint32_t>(std::countr_zero(objects));
        const std::uint32_t object = node.child[slot];
        if constexpr (kMode == AskMode::closest) {
            const float distance = distance_squared(slot_box(node, slot), ask.point);
            const float best = ask.best.distance_squared_m2;
            const bool is_better =
                !ask.is_met || distance < best || (distance == best && object < ask.best.object);
            if (is_better && (!ask.test || ask.test(object))) {
                ask.is_met = true;
                ask.best = {object, distance};
            }
        } else if (!ask.test || ask.test(object)) {
            if constexpr (kMode == AskMode::any) {
                ask.is_met = true;
                return true;
            }
            ask.objects->push_back(object);
        }
    }
    return false;
}

template <AskMode kMode, typename Kernel>
void walk_overlap(const Kernel& kernel, OverlapAsk& ask) {
    const WideNode* nodes = ask.tree->nodes.data();
    WalkStack<std::uint32_t> waiting;
    waiting.push(0);
    while (!waiting.is_empty()) {
        const WideNode& node = nodes[waiting.pop()];
        const std::uint32_t met = kernel.meet(node);
        if (take_objects<kMode>(node, met & node.object_mask, ask)) {
            return;
        }
        for (std::uint32_t inner = met & ~node.object_mask; inner != 0; inner &= inner - 1) {
            const auto slot = static_cast<std::uint32_t>(std::countr_zero(inner));
            if constexpr (kMode == AskMode::closest) {
                if (ask.is_met && distance_squared(slot_box(node, slot), ask.point) >
                                      ask.best.distance_squared_m2) {
                    continue;
                }
            }
            waiting.push(node.child[slot]);
        }
    }
}

template <typename Kernel>
void answer_overlap(const Kernel& kernel, OverlapAsk& ask) {
    switch (ask.mode) {
        case AskMode::closest:
            walk_overlap<AskMode::closest>(kernel, ask);
            break;
        case AskMode::any:
            walk_overlap<AskMode::any>(kernel, ask);
            break;
        case AskMode::all:
            if (ask.test) {
                walk_overlap<AskMode::all>(kernel, ask);
            } else {
                walk_plain(kernel, ask);
            }
            break;
    }
}

#ifdef TERRANE_SIMD
void ask_ray(RayAsk& ask) {
    answer_ray(SimdRay(*ask.probe), ask);
}
void ask_box(const Aabb& volume, OverlapAsk& ask) {
    answer_overlap(SimdBox(volume), ask);
}
void ask_sphere(const Sphere& volume, OverlapAsk& ask) {
    answer_overlap(SimdSphere(volume), ask);
}
void ask_frustum(const Frustum& volume, OverlapAsk& ask) {
    answer_overlap(SimdFrustum(volume), ask);
}
#endif

}  // namespace
}  // namespace terrane::TERRANE_TARGET
#ifdef TERRANE_SIMD
HWY_AFTER_NAMESPACE();
#endif

#if !defined(TERRANE_SIMD) || HWY_ONCE
namespace terrane {

#ifdef TERRANE_SIMD
namespace {

HWY_EXPORT(ask_ray);
HWY_EXPORT(ask_box);
HWY_EXPORT(ask_sphere);
HWY_EXPORT(ask_frustum);

void answer_fast(const Aabb& volume, OverlapAsk& ask) {
    HWY_DYNAMIC_DISPATCH(ask_box)(volume, ask);
}
void answer_fast(const Sphere& volume, OverlapAsk& ask) {
    HWY_DYNAMIC_DISPATCH(ask_sphere)(volume, ask);
}
void answer_fast(const Frustum& volume, OverlapAsk& ask) {
    HWY_DYNAMIC_DISPATCH(ask_frustum)(volume, ask);
}

}  // namespace
#endif

void answer(RayAsk& ask) {
#ifdef TERRANE_SIMD
    if (ask.tree->path == BvhPath::simd) {
        HWY_DYNAMIC_DISPATCH(ask_ray)(ask);
        return;
    }
#endif
    TERRANE_TARGET::answer_ray(TERRANE_TARGET::ScalarRay{*ask.probe}, ask);
}

template <typename Volume>
void answer(const Volume& volume, OverlapAsk& ask) {
#ifdef TERRANE_SIMD
    if (ask.tree->path == BvhPath::simd) {
        answer_fast(volume, ask);
        return;
    }
#endif
    TERRANE_TARGET::answer_overlap(TERRANE_TARGET::ScalarVolume<Volume>{volume}, ask);
}

template void answer(const Aabb&, OverlapAsk&);
template void answer(const Sphere&, OverlapAsk&);
template void answer(const Frustum&, OverlapAsk&);

}  // namespace terrane
#endif
