#pragma once
/// An event_table has the events that sources play repeatedly. They are drawn once, because drawing
/// an event takes longer than a source may spend on it; their random numbers are a function of the
/// seed and the event's place.

#include "event.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace event_stream {

/// A ring is the image of a particle's light on the plane; hits scatter around it.
struct ring {
  float x = 0, y = 0, radius = 0;
  std::uint16_t hits = 0;
};

/// An event has at most this many rings.
inline constexpr std::size_t most_rings = 3;

struct table_event {
  std::array<ring, most_rings> truth{};
  std::uint16_t rings = 0, hits = 0;
  std::array<hit, most_hits> at{};
};

/// The distance of hits from their ring is Gaussian with this deviation.
inline constexpr float hit_deviation = 100;
inline constexpr float least_radius = 6000, most_radius = 14000;

/// Events have no hits at all, hits of at most one ring, or hits of several rings.
enum class hit_pattern : std::uint8_t { none, ring, several };
/// Returns the pattern of "none", "rings" or "several"; throws onehop::usage_error for another
/// word.
hit_pattern hit_pattern_named(std::string_view word);

class event_table {
 public:
  /// Event n is entry n modulo `size` of the table.
  static constexpr std::size_t size = 4096;

  /// With at most one ring, nine of ten events have a ring of 6 to 12 hits scattered around it; the
  /// others have 3 to 12 hits anywhere. With several, an event has none to three rings, each number
  /// equally often, of 8 to 10 hits each, and up to two hits anywhere.
  event_table(std::uint64_t seed, hit_pattern hits);

  bool several() const noexcept { return several_; }

  const table_event& of(std::uint64_t event) const { return events_[event % size]; }

 private:
  std::vector<table_event> events_;
  bool several_;
};

/// Returns the hits that source `source` of `sources` sees: every sources-th hit.
struct seen_hits {
  std::uint16_t hits = 0;
  std::array<hit, most_hits> at{};
};
seen_hits hits_of_source(const table_event& event, int source, int sources);

}  // namespace event_stream
