// The HUD's share of events: the keys of the figures and of the debug views, and which material is
// placed.
#pragma once

#include <cstddef>

#include "client-stub/viewer/debug_views.h"
#include "client-stub/viewer/events.h"

namespace terrane {

class HudInput final : public EventReceiver {
  public:
    bool receive(const Event& event) override;

    /// F3: figures are wanted.
    bool has_figures() const { return has_figures_; }
    /// F4 goes through them.
    DebugViewSet views() const { return views_; }
    void show(DebugViewSet views) { views_ = views; }

    /// Among the materials that may be placed, from 0.
    std::size_t chosen() const { return chosen_; }

  private:
    std::size_t chosen_ = 0;
    bool has_figures_ = false;
    DebugViewSet views_;
};

}  // namespace terrane
