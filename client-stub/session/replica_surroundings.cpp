// The replica's part that follows props and the time of day.
#include <algorithm>

#include "client-stub/session/replica.h"
#include "shared/protocol/wire_types.h"
#include "shared/voxel/prop_scatter.h"

namespace terrane {
Result<void> Replica::take_props(const ChunkCoord& c, const wire::Chunk& message) {
    constexpr int kSide = kChunkSize * 16;  // 1/16 voxel
    std::vector<ReplicaProp> props;
    std::uint64_t seen = 0;
    const std::size_t count = message.props() == nullptr ? 0 : message.props()->size();
    for (std::size_t i = 0; i < count; ++i) {
        const PropPlacement prop =
            from_wire(*message.props()->Get(static_cast<flatbuffers::uoffset_t>(i)));
        if (prop.kind >= zone_.kinds.size() || !zone_.kinds[prop.kind].is_static) {
            return fail("Chunk.props.kind of ({}, {}, {}): {} is no static kind", c.x, c.y, c.z,
                        prop.kind);
        }
        for (const std::int16_t axis : {prop.x, prop.y, prop.z}) {
            if (axis < 0 || axis > kSide) {
                return fail("Chunk.props of ({}, {}, {}): {} stands outside of its chunk", c.x, c.y,
                            c.z, prop.index);
            }
        }
        if (((seen >> prop.index) & 1U) != 0) {
            return fail("Chunk.props.index of ({}, {}, {}): {} twice", c.x, c.y, c.z, prop.index);
        }
        seen |= std::uint64_t{1} << prop.index;
        const BodyKind& kind = zone_.kinds[prop.kind];
        const Transform pose =
            prop_pose(c, prop, middle_above_foot_m(kind.shape, kind.half_extents));
        props.push_back({prop.index, prop.kind, {pose.position, pose.rotation}});
    }
    std::ranges::sort(props, {}, &ReplicaProp::index);
    if (props.empty()) {
        props_.erase(c);
    } else {
        props_[c] = std::move(props);
    }
    return {};
}

void Replica::apply(const wire::PropsGone& message) {
    const wire::ChunkPos& at = *message.position();
    const auto found = props_.find({at.x(), at.y(), at.z()});
    if (found == props_.end()) {
        return;  // not here, or gone before
    }
    for (const std::uint8_t index : *message.indices()) {
        std::erase_if(found->second, [&](const ReplicaProp& prop) { return prop.index == index; });
    }
    if (found->second.empty()) {
        props_.erase(found);
    }
}

void Replica::apply(const wire::SkyChanged& message) {
    zone_.daytime = to_daytime(*message.sky());
}

float Replica::day_fraction(double tick) const {
    return day_fraction_at(zone_.daytime, tick, zone_.tick_rate_hz);
}

}  // namespace terrane
