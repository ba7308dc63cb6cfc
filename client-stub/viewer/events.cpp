#include "client-stub/viewer/events.h"

namespace terrane {

void dispatch(std::span<const Event> events, std::span<EventReceiver* const> receivers) {
    for (const Event& event : events) {
        for (EventReceiver* receiver : receivers) {
            if (receiver->receive(event)) {
                break;
            }
        }
    }
}

}  // namespace terrane
