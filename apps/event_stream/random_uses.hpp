#pragma once
/// Each use of a stream's random numbers has a number of its own, so that no two uses draw the same
/// numbers.

#include <onehop/random.hpp>

namespace event_stream {

inline constexpr auto random_arrivals = onehop::user_random(0);
inline constexpr auto random_events = onehop::user_random(1);

}  // namespace event_stream
