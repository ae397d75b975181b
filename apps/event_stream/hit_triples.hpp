#pragma once
/// These are triples of hits whose circles are tried.

#include "event.hpp"

#include <array>
#include <cstdint>

namespace event_stream {

/// `corners` has numbers of hits, the first of all triples, the second and the third; it is filled
/// up to a multiple of the widest vector's lanes by the last triple.
struct triples_of_hits {
  static constexpr std::size_t most = 128;
  std::array<std::array<std::uint8_t, most>, 3> corners{};
  std::size_t count = 0;
};

/// Returns all triples of so many hits, or where there are too many of them as many as there is
/// room for, spread by a fixed sequence; none of fewer than three hits.
const triples_of_hits& triples_of(std::size_t hits);

}  // namespace event_stream
