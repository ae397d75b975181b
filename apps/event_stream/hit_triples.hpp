#pragma once
/// This defines the triples of hits whose circles are tried.

#include "event.hpp"

#include <array>
#include <cstdint>

namespace event_stream {

/// `corners` has the numbers of hits: first those of the first hit of all triples, then the second,
/// then the third. The last triple is repeated up to a multiple of the widest vector's lanes.
struct triples_of_hits {
  static constexpr std::size_t most = 128;
  std::array<std::array<std::uint8_t, most>, 3> corners{};
  std::size_t count = 0;
};

/// Returns all triples of this many hits, or as many as there is room for, chosen by a fixed
/// sequence. There are none for fewer than three hits.
const triples_of_hits& triples_of(std::size_t hits);

}  // namespace event_stream
