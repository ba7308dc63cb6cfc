// Rows about the zone's use of the trees: how moving objects are kept, who is near whom, and a
// whole tick's query work over 10,000 props, 10,000 bodies and 1,000 players.
#include <bit>

#include "shared/bvh/moving_set.h"
#include "shared/scene/interest_grid.h"
#include "shared/scene/scene_query.h"
#include "tests/bench/bench_row.h"
#include "tests/bench/bvh_scene.h"
#include "tests/bench/dbvt_peer.h"
#include "tests/bench/near_scan.h"

namespace terrane::bench {
namespace {

constexpr std::size_t kBoxes = 10'000;
constexpr std::size_t kPlayers = 1'000;
constexpr std::size_t kTicks = 64;
constexpr std::size_t kTurns = 4;  // the zone looks a quarter of the views up each tick
constexpr float kNearM = 64.0F;
constexpr float kViewM = 256.0F;  // the zone's default view

const std::vector<Aabb>& world() {
    static const std::vector<Aabb> boxes = flat_world(kBoxes);
    return boxes;
}
const std::vector<std::vector<Aabb>>& moved() {
    static const std::vector<std::vector<Aabb>> boxes = moving_boxes(world(), kTicks);
    return boxes;
}
/// Where the bodies are, by tick.
const std::vector<std::vector<Vec3>>& places() {
    static const std::vector<std::vector<Vec3>> all = [] {
        std::vector<std::vector<Vec3>> made(kTicks);
        for (std::size_t tick = 0; tick < kTicks; ++tick) {
            for (const Aabb& box : moved()[tick]) {
                made[tick].push_back(centre(box));
            }
        }
        return made;
    }();
    return all;
}
/// Every tenth body has a player beside it.
Vec3 eye_of(std::size_t player, std::size_t tick) {
    return places()[tick][player * (kBoxes / kPlayers)] + Vec3(0.5F, 1.5F, 0.5F);
}

std::uint64_t hash_objects(const std::vector<std::uint32_t>& objects) {
    std::uint64_t hash = objects.size();
    for (const std::uint32_t object : objects) {
        hash += object * 0x9e3779b97f4a7c15ULL;
    }
    return hash;
}

/// 64 ticks of 10,000 boxes that all move; the answer: what some cubes meet at the end.
std::optional<Work> keep_moving(MovingPolicy policy) {
    std::shared_ptr<DbvtPeer> peer = make_dbvt_peer(world());
    if (!peer) {
        return std::nullopt;
    }
    const auto set = std::make_shared<MovingSet>(MovingSetConfig{.policy = policy});
    for (std::uint32_t i = 0; i < kBoxes; ++i) {
        set->set(i, world()[i]);
    }
    set->commit();
    const auto cubes = std::make_shared<std::vector<Aabb>>(query_cubes(world(), 8.0F, 64));
    Work work;
    work.operations = kTicks;
    work.ours = [set, cubes] {
        for (const std::vector<Aabb>& boxes : moved()) {
            for (std::uint32_t i = 0; i < kBoxes; ++i) {
                set->set(i, boxes[i]);
            }
            set->commit();
        }
        std::uint64_t hash = 0;
        std::vector<std::uint32_t> objects;
        for (const Aabb& cube : *cubes) {
            set->all_overlaps(cube, objects);
        }
        hash += hash_objects(objects);
        return hash;
    };
    work.theirs = [peer, cubes] {
        for (std::size_t tick = 0; tick < kTicks; ++tick) {
            peer->update(moved()[tick], moved()[(tick + kTicks - 1) % kTicks]);
        }
        std::vector<std::uint32_t> objects;
        std::vector<std::uint32_t> met;
        for (const Aabb& cube : *cubes) {
            peer->overlaps(cube, met);  // by larger boxes
            std::erase_if(met, [&](std::uint32_t object) {
                return !overlaps(cube, moved()[kTicks - 1][object]);
            });
            objects.insert(objects.end(), met.begin(), met.end());
            met.clear();
        }
        return hash_objects(objects);
    };
    return work;
}

/// A tick: the grid made anew, then everybody's surroundings.
std::optional<Work> interest(float radius_m, bool is_ascending) {
    if (!has_near_scan()) {
        return std::nullopt;
    }
    const auto grid = std::make_shared<InterestGrid>();
    const auto scratch = std::make_shared<InterestScratch>();
    const auto scan = std::make_shared<NearScan>();
    Work work;
    work.operations = 4;
    work.ours = [=] {
        std::uint64_t hash = 0;
        std::vector<std::uint32_t> near;
        for (std::size_t tick = 0; tick < 4; ++tick) {
            grid->update(places()[tick]);
            for (std::size_t player = 0; player < kPlayers; ++player) {
                near.clear();
                if (is_ascending) {
                    grid->find_near(eye_of(player, tick), radius_m, near, *scratch);
                } else {
                    grid->find_near_by_cell(eye_of(player, tick), radius_m, near);
                }
                hash += hash_objects(near);
            }
        }
        return hash;
    };
    work.theirs = [=] {
        std::uint64_t hash = 0;
        std::vector<std::uint32_t> near;
        for (std::size_t tick = 0; tick < 4; ++tick) {
            scan->update(places()[tick]);
            for (std::size_t player = 0; player < kPlayers; ++player) {
                near.clear();
                scan->find_near(eye_of(player, tick), radius_m, near);
                hash += hash_objects(near);
            }
        }
        return hash;
    };
    return work;
}

/// The zone's solids: boxes as props and as bodies, a capsule for each player.
struct SceneTick {
    SceneObjects objects;
    std::vector<SceneSlot> bodies;
    std::vector<SceneSlot> players;
    InterestGrid grid;
    InterestScratch scratch;
    std::vector<InterestSet> known{kPlayers};
    std::size_t tick = 0;

    SceneTick() {
        Random random(31);
        for (std::uint32_t i = 0; i < kBoxes; ++i) {
            const Aabb& box = world()[i];
            const Vec3 aside(random.range(-30.0F, 30.0F), 0.0F, random.range(-30.0F, 30.0F));
            objects.add({SceneCategory::prop,
                         i,
                         {.shape = i % 2 == 0 ? BodyShape::sphere : BodyShape::cylinder,
                          .half_extents = half_extents(box),
                          .position = centre(box) + aside}});
            bodies.push_back(objects.add({SceneCategory::body,
                                          i,
                                          {.shape = i % 3 == 0   ? BodyShape::sphere
                                                    : i % 3 == 1 ? BodyShape::cylinder
                                                                 : BodyShape::box,
                                           .half_extents = half_extents(box) * 0.3F,
                                           .position = centre(box)}}));
        }
        for (std::uint32_t i = 0; i < kPlayers; ++i) {
            players.push_back(objects.add({SceneCategory::player,
                                           i,
                                           {.shape = BodyShape::player,
                                            .half_extents = Vec3(0.35F, 0.9F, 0.35F),
                                            .position = eye_of(i, 0)}}));
        }
        objects.commit();
        if (auto task = objects.hand_out_build()) {
            objects.take_build(run_build(*task));
        }
    }

    void move_all() {
        tick = (tick + 1) % kTicks;
        const Quat turn = glm::normalize(Quat{1.0F, 0.01F * static_cast<float>(tick), 0.2F, 0.1F});
        for (std::size_t i = 0; i < kBoxes; ++i) {
            objects.move(bodies[i], places()[tick][i], turn);
        }
        for (std::size_t i = 0; i < kPlayers; ++i) {
            objects.move(players[i], eye_of(i, tick), kNoRotation);
        }
        objects.commit();
    }

    std::uint64_t update_interest() {
        grid.update(places()[tick]);
        std::vector<std::uint32_t> entered;
        std::vector<std::uint32_t> left;
        for (std::size_t i = tick % kTurns; i < kPlayers; i += kTurns) {
            grid.update_known(eye_of(i, tick), kViewM, kViewM + 32.0F, known[i], entered, left,
                              scratch);
        }
        return entered.size() + left.size();
    }

    /// Each player looks 150 m far, and a player's capsule moves 8 m.
    std::uint64_t ask() const {
        std::uint64_t hits = 0;
        const SceneView view{nullptr, &objects};
        for (std::size_t i = 0; i < kPlayers; ++i) {
            const Vec3 eye = eye_of(i, tick);
            const Vec3 way =
                glm::normalize(eye_of((i * 7 + 1) % kPlayers, tick) - eye + Vec3(0.1F, 0.0F, 0.0F));
            const SceneFilter filter{.ignore = players[i]};
            hits += raycast_closest(view, {eye, way, 150.0F}, filter).has_value() ? 1U : 0U;
            const QueryShape capsule = make_capsule(eye, 0.55F, 0.35F);
            hits += sweep_closest(view, capsule, way * 8.0F, filter).has_value() ? 1U : 0U;
        }
        return hits;
    }
};

/// Passes of one whole round of ticks, the first of them warm: each pass has the same answer.
std::optional<Work> scene_ticks(bool is_moving, bool is_interest, bool is_asking) {
    const auto scene = std::make_shared<SceneTick>();
    for (std::size_t i = 0; i < kTicks; ++i) {
        scene->tick = (scene->tick + 1) % kTicks;
        scene->update_interest();
    }
    Work work;
    work.operations = kTicks;
    work.ours = [=] {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < kTicks; ++i) {
            if (is_moving) {
                scene->move_all();
            } else {
                scene->tick = (scene->tick + 1) % kTicks;
            }
            if (is_interest) {
                sum += scene->update_interest();
            }
            if (is_asking) {
                sum += scene->ask();
            }
        }
        return sum;
    };
    return work;
}

}  // namespace

void add_scene_rows(std::vector<BenchRow>& rows) {
    for (const MovingPolicy policy : kMovingPolicies) {
        const bool is_default = policy == MovingPolicy::refit;
        rows.push_back({"B14.moving_set." + std::string(name_of(policy)), "btDbvt", "us",
                        Goal::ratio, is_default ? 8.0 : 1.0, is_default ? 15.0 : 2.0,
                        [policy] { return keep_moving(policy); }});
    }
    const auto add_interest = [&](const char* name, float radius_m, bool is_ascending) {
        rows.push_back({name, "AVX2 brute force", "us", Goal::ratio, 3.23, 5.0,
                        [=] { return interest(radius_m, is_ascending); }});
    };
    add_interest("B12.interest.64m", kNearM, false);
    add_interest("B12.interest.256m", kViewM, false);
    add_interest("B12.interest.64m_ascending", kNearM, true);
    rows.push_back({"scene.tick.move_commit", "", "ms", Goal::value, 1.0, 0.5,
                    [] { return scene_ticks(true, false, false); }});
    rows.push_back({"scene.tick.interest_quarter", "", "ms", Goal::value, 1.0, 0.5,
                    [] { return scene_ticks(false, true, false); }});
    rows.push_back({"scene.tick.rays_sweeps", "", "ms", Goal::value, 2.0, 1.0,
                    [] { return scene_ticks(false, false, true); }});
    rows.push_back({"scene.tick.all", "", "ms", Goal::value, 4.0, 2.0,
                    [] { return scene_ticks(true, true, true); }});
}

}  // namespace terrane::bench
