// The viewer's part that plays a script: its actions when they are due, and what the zone says to
// its edits.
#include <cstdio>
#include <numbers>

#include "client-stub/viewer/placeable_materials.h"
#include "client-stub/viewer/viewer.h"

namespace terrane {

namespace {

/// For the zone's answers to the last edits.
constexpr Nanoseconds kAnswerTimeout{1'000'000'000};
constexpr Nanoseconds kPollEvery{4'000'000};

}  // namespace

Result<void> Viewer::start_script_actions(double now_s) {
    constexpr float kRadians = std::numbers::pi_v<float> / 180.0F;
    for (const ScriptAction& action : script_->take_due(now_s)) {
        switch (action.verb) {
            case ScriptVerb::look:
                input_.look_at(action.yaw_deg * kRadians, action.pitch_deg * kRadians);
                break;
            case ScriptVerb::dig:
                edit(BrushMode::dig, kAir, action.radius, action.line);
                break;
            case ScriptVerb::place: {
                const auto material = find_material(action);
                if (!material) {
                    return std::unexpected(material.error());
                }
                edit(BrushMode::place, *material, action.radius, action.line);
                break;
            }
            case ScriptVerb::screenshot:
                if (auto saved = save_picture(action.text); !saved) {
                    return saved;
                }
                break;
            case ScriptVerb::use:
                input_.ask_use(true);
                break;
            case ScriptVerb::say:
                zone_->say(action.text);
                break;
            case ScriptVerb::move:
            case ScriptVerb::wait:
                break;
        }
    }
    return {};
}

Result<MaterialId> Viewer::find_material(const ScriptAction& action) const {
    auto material = find_placeable(zone_->zone().materials, action.text);
    return material ? material
                    : fail("{}:{}: {}", options_.script, action.line, material.error().message);
}

/// Before the script begins: a wrong name in its last line should not cost the whole walk.
Result<void> Viewer::check_script_materials() const {
    for (const ScriptAction& action : script_->script().actions) {
        if (action.verb == ScriptVerb::place) {
            if (const auto material = find_material(action); !material) {
                return std::unexpected(material.error());
            }
        }
    }
    return {};
}

void Viewer::take_answers() {
    for (const OwnEdit& applied : zone_->own_edits()) {
        unanswered_.erase(applied.id);
    }
    for (const RefusedOwnEdit& refused : zone_->refused_edits()) {
        const auto found = unanswered_.find(refused.id);
        fmt::print(stderr, "{} refused: {}\n", found == unanswered_.end() ? "edit" : found->second,
                   describe(refused.reason));
        unanswered_.erase(refused.id);
    }
    report_.edits_refused = zone_->session().counters().edits_refused;
}

/// What the zone says to the script's last edits.
Result<void> Viewer::wait_for_answers() {
    const Nanoseconds deadline = clock_.now() + kAnswerTimeout;
    while ((!edits_.empty() || !unanswered_.empty()) && clock_.now() < deadline) {
        if (auto received = session_phase(clock_.now()); !received) {
            return received;
        }
        clock_.sleep_until(clock_.now() + kPollEvery);
    }
    return {};
}

}  // namespace terrane
