#pragma once
/// Circles through three hits are tried side by side in the lanes of vectors.
///
/// ONEHOP_APP_ISA names the instruction set that this is built for.

#include "hit_triples.hpp"
#include "ring_fit.hpp"

#include <bit>
#include <cstring>

namespace event_stream::ONEHOP_APP_ISA {
namespace {

// The compiler generates poor code for vectors wider than those of the processor.
#if defined(__AVX512F__)
constexpr std::size_t width = 16;
#elif defined(__AVX__)
constexpr std::size_t width = 8;
#else
constexpr std::size_t width = 4;
#endif
using lanes __attribute__((vector_size(width * sizeof(float)))) = float;
using mask __attribute__((vector_size(width * sizeof(float)))) = std::int32_t;

/// These are the hits of an event that the search considers.
struct loose_hits {
  std::array<float, most_hits> x{}, y{};
  std::size_t count = 0;

  loose_hits(const ring_group& hits, std::size_t lane, std::uint32_t of) {
    for (; of != 0; of &= of - 1, ++count) {
      const auto h = static_cast<std::size_t>(std::countr_zero(of));
      x[count] = hits.x[h][lane];
      y[count] = hits.y[h][lane];
    }
  }
};

/// Returns the values of `all` for as many hits as a vector has lanes.
lanes of_hits(const std::array<float, most_hits>& all, const std::uint8_t* hits) {
  lanes found{};
  if constexpr (2 * width == most_hits) {
    std::array<lanes, 2> halves;
    std::memcpy(halves.data(), all.data(), sizeof halves);
    std::uint8_t __attribute__((vector_size(width))) numbers;
    std::memcpy(&numbers, hits, sizeof numbers);
    found = __builtin_shuffle(halves[0], halves[1], __builtin_convertvector(numbers, mask));
  } else {
    for (std::size_t k = 0; k < width; ++k) found[k] = all[hits[k]];
  }
  return found;
}

/// By Ptolemy's theorem on their distances, four points lie on a circle if a polynomial is zero:
/// the determinant of the four points. It needs no roots. Its value is the area of three points
/// times |D - C|^2 - R^2, where C is the centre of their circle. D is nearer than `reach` to the
/// circle if |D - C|^2 - R^2 is less than 2 R reach.
struct tried_circles {
  lanes x, y, square;  ///< centre relative to the origin, radius^2
  mask counts;

  tried_circles(const loose_hits& hits, const triples_of_hits& triples, std::size_t first,
                const circle_search& how) {
    std::array<lanes, 3> px, py;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      px[corner] = of_hits(hits.x, triples.corners[corner].data() + first);
      py[corner] = of_hits(hits.y, triples.corners[corner].data() + first);
    }
    const lanes bx = px[1] - px[0], by = py[1] - py[0], cx = px[2] - px[0], cy = py[2] - py[0];
    const lanes area = 2.0F * (bx * cy - by * cx), b = bx * bx + by * by, c = cx * cx + cy * cy;
    const mask flat = area == 0.0F;
    const lanes inverse = 1.0F / (flat ? lanes{} + 1.0F : area);
    const lanes ux = (cy * b - by * c) * inverse, uy = (bx * c - cx * b) * inverse;
    square = ux * ux + uy * uy;
    x = px[0] + ux;
    y = py[0] + uy;
    counts = (area != 0.0F) & (square > how.least_radius * how.least_radius) &
             (square < how.most_radius * how.most_radius);
  }

  /// Returns how many hits are near each circle, and 0 for circles that do not count.
  mask near(const loose_hits& hits, float reach) const {
    const lanes most = 4.0F * reach * reach * square;
    mask found{};
    for (std::size_t h = 0; h < hits.count; ++h) {
      const lanes dx = hits.x[h] - x, dy = hits.y[h] - y, off = dx * dx + dy * dy - square;
      found -= off * off < most;
    }
    return found & counts;
  }
};

/// For each lane, these describe the circle with the most near hits, the first such circle tried in
/// it.
struct best_circles {
  lanes x{}, y{}, square{};
  mask near{}, first{};

  void look_at(const tried_circles& tried, const mask& now_near, std::size_t now_first) {
    const mask better = now_near > near;
    x = better ? tried.x : x;
    y = better ? tried.y : y;
    square = better ? tried.square : square;
    near = better ? now_near : near;
    first = better ? mask{} + static_cast<std::int32_t>(now_first) : first;
  }
  /// Returns the best circle of all lanes, the first one if several are equal.
  circle best() const {
    circle found;
    std::int32_t number = 0;
    for (std::size_t k = 0; k < width; ++k) {
      const std::int32_t at = first[k] + static_cast<std::int32_t>(k);
      if (near[k] < found.near || (near[k] == found.near && at >= number)) continue;
      found = {x[k], y[k], __builtin_sqrtf(square[k]), near[k]};
      number = at;
    }
    return found;
  }
};

circle search_circles(const ring_group& group, std::size_t lane, std::uint32_t of,
                      const circle_search& how) {
  const loose_hits hits(group, lane, of);
  const triples_of_hits& triples = triples_of(hits.count);
  best_circles best;
  for (std::size_t first = 0; first < triples.count; first += width) {
    const tried_circles tried(hits, triples, first, how);
    best.look_at(tried, tried.near(hits, how.reach), first);
  }
  return best.best();
}

}  // namespace
}  // namespace event_stream::ONEHOP_APP_ISA
