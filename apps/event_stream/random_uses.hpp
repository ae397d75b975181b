#pragma once
/// A stream's random numbers have a number for each of their uses, so that no two uses draw the
/// same.

#include <onehop/random.hpp>

namespace event_stream {

inline constexpr auto random_arrivals = onehop::user_random(0);
inline constexpr auto random_events = onehop::user_random(1);

}  // namespace event_stream
