#include "lattice/lane_conversion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace onehop {
namespace {

constexpr std::size_t most_components = 12;

template <class To, bool adds, class From>
[[gnu::always_inline]] inline void put(To& to, From from) {
  if constexpr (adds) {
    to += static_cast<To>(from);
  } else {
    to = static_cast<To>(from);
  }
}

/// Copies the reals of a block with fewer lanes, `fixed` or `reals` of them, into some lanes of a
/// block with more lanes.
template <int fixed, bool adds, class From, class To>
void widen(const From* from, To* to, int reals, int lanes, int wide, const std::int32_t* where) {
  const int count = fixed > 0 ? fixed : lanes;
  for (int k = 0; k < reals; ++k, from += count, to += wide) {
    for (int lane = 0; lane < count; ++lane) put<To, adds>(to[where[lane]], from[lane]);
  }
}
/// Copies reals from some lanes of a block with more lanes into a block with fewer.
template <int fixed, bool adds, class From, class To>
void narrow(const From* from, To* to, int reals, int lanes, int wide, const std::int32_t* where) {
  const int count = fixed > 0 ? fixed : lanes;
  for (int k = 0; k < reals; ++k, from += wide, to += count) {
    for (int lane = 0; lane < count; ++lane) put<To, adds>(to[lane], from[where[lane]]);
  }
}

template <bool adds, class From, class To>
void move_block(const From* from, int from_lanes, To* to, int to_lanes, int reals,
                const std::int32_t* where) {
  if (from_lanes == to_lanes) {
    for (int k = 0; k < reals * to_lanes; ++k) put<To, adds>(to[k], from[k]);
  } else if (from_lanes < to_lanes) {
    if (from_lanes == 4) return widen<4, adds>(from, to, reals, 4, to_lanes, where);
    widen<0, adds>(from, to, reals, from_lanes, to_lanes, where);
  } else {
    if (to_lanes == 4) return narrow<4, adds>(from, to, reals, 4, from_lanes, where);
    narrow<0, adds>(from, to, reals, to_lanes, from_lanes, where);
  }
}

/// Finds each lane's largest real, rounded up so that no real exceeds it.
void find_scales(const float* reals, int count, int lanes, float* scales) {
  std::fill_n(scales, lanes, 0.0F);
  for (int k = 0; k < count; ++k) {
    for (int lane = 0; lane < lanes; ++lane) {
      scales[lane] = std::max(scales[lane], std::abs(reals[k * lanes + lane]));
    }
  }
  for (int lane = 0; lane < lanes; ++lane) {
    scales[lane] = std::nextafter(scales[lane], 2 * scales[lane]);
  }
}

/// Converts a block of single precision to half precision.
void to_half(const float* reals, int count, int lanes, std::byte* block) {
  // Adding 1.5 2^52 rounds to an integer, and to an even one if the number lies half-way.
  constexpr double rounder = 6755399441055744.0;
  auto* scales = reinterpret_cast<float*>(block);
  auto* out = reinterpret_cast<std::int16_t*>(block + lanes * sizeof(float));
  find_scales(reals, count, lanes, scales);
  std::array<double, most_lanes> factors;
  for (int lane = 0; lane < lanes; ++lane) {
    const double scale = scales[lane];
    factors[lane] = scale == 0 ? 0.0 : static_cast<double>(fixed_one) / scale;
  }
  for (int k = 0; k < count; ++k) {
    for (int lane = 0; lane < lanes; ++lane) {
      const double scaled = static_cast<double>(reals[k * lanes + lane]) * factors[lane];
      out[k * lanes + lane] = static_cast<std::int16_t>((scaled + rounder) - rounder);
    }
  }
}

void from_half(const std::byte* block, int count, int lanes, bool adds, float* reals) {
  const auto* scales = reinterpret_cast<const float*>(block);
  const auto* in = reinterpret_cast<const std::int16_t*>(block + lanes * sizeof(float));
  std::array<double, most_lanes> factors;
  for (int lane = 0; lane < lanes; ++lane) {
    factors[lane] = static_cast<double>(scales[lane]) / static_cast<double>(fixed_one);
  }
  for (int k = 0; k < count; ++k) {
    for (int lane = 0; lane < lanes; ++lane) {
      float& real = reals[k * lanes + lane];
      const auto value = static_cast<float>(in[k * lanes + lane] * factors[lane]);
      real = adds ? real + value : value;
    }
  }
}

}  // namespace

lane_conversion::lane_conversion(const lane_layout& one, const lane_layout& other)
    : narrow_lanes_(std::min(one.lanes(), other.lanes())) {
  const bool in_order = one.lanes() <= other.lanes();
  const lane_layout& narrow = in_order ? one : other;
  const lane_layout& wide = in_order ? other : one;
  const coordinate& coarse = narrow.sub_block();
  const coordinate& fine = wide.sub_block();
  coordinate parts{};
  for (int mu = 0; mu < 4; ++mu) parts[mu] = coarse[mu] / fine[mu];
  lanes_.resize(volume(parts) * static_cast<std::size_t>(narrow_lanes_));
  for (int parity = 0; parity < 2; ++parity) {
    for (std::int32_t vector = 0; vector < narrow.vectors(parity); ++vector) {
      const coordinate& site = narrow.first_site(parity, vector);
      int part = 0;
      for (int mu = 3; mu >= 0; --mu) part = part * parts[mu] + site[mu] / fine[mu];
      parts_[parity].push_back({wide.locate(site).vector, part});
      for (int lane = 0; lane < narrow_lanes_; ++lane) {
        lanes_[part * narrow_lanes_ + lane] = wide.locate(narrow.site(parity, vector, lane)).lane;
      }
    }
  }
}

template <class Copy>
void lane_conversion::for_each_block(const job& what, std::size_t begin, std::size_t end,
                                     const Copy& copy) const {
  const lane_field &from = *what.from, &to = *what.to;
  const bool widens = from.lanes() <= to.lanes();
  const std::vector<vector_part>& parts = parts_[from.parity()];
  for (std::size_t vector = begin; vector < end; ++vector) {
    const std::int32_t* lanes = &lanes_[parts[vector].part * narrow_lanes_];
    const auto there = static_cast<std::size_t>(parts[vector].vector);
    const std::size_t first = (widens ? vector : there) * from.rhs();
    const std::size_t to_first = (widens ? there : vector) * to.rhs();
    for (std::size_t k = 0; k < what.from_sides.size(); ++k) {
      copy(first + what.from_sides[k], to_first + what.to_sides[k], lanes);
    }
  }
}

template <class From, class To, bool adds>
void lane_conversion::convert_reals(const job& what, std::size_t begin, std::size_t end) const {
  const lane_field& from = *what.from;
  lane_field& to = *what.to;
  const int reals = 2 * from.components();
  for_each_block(what, begin, end, [&](std::size_t source, std::size_t target, const auto* lanes) {
    move_block<adds>(reinterpret_cast<const From*>(from.block(source)), from.lanes(),
                     reinterpret_cast<To*>(to.block(target)), to.lanes(), reals, lanes);
  });
}

/// Converts fields of any two precisions.
void lane_conversion::convert_sites(const job& what, std::size_t begin, std::size_t end) const {
  const lane_field& from = *what.from;
  lane_field& to = *what.to;
  const bool widens = from.lanes() <= to.lanes();
  const auto components = static_cast<std::size_t>(from.components());
  std::array<std::complex<double>, most_components> values, sums;
  for_each_block(what, begin, end, [&](std::size_t source, std::size_t target, const auto* lanes) {
    for (int lane = 0; lane < narrow_lanes_; ++lane) {
      const int to_lane = widens ? lanes[lane] : lane;
      from.read(source, widens ? lane : lanes[lane], std::span(values).first(components));
      if (what.adds) {
        to.read(target, to_lane, std::span(sums).first(components));
        for (std::size_t c = 0; c < components; ++c) values[c] += sums[c];
      }
      to.write(target, to_lane, std::span(values).first(components));
    }
  });
}

void lane_conversion::convert(const lane_field& from, lane_field& to) const {
  std::vector<int> every(from.rhs());
  std::iota(every.begin(), every.end(), 0);
  convert({&from, every, &to, every}, 0, narrow_vectors(from.parity()));
}

void lane_conversion::convert(const job& what, std::size_t begin, std::size_t end) const {
  const lane_field& from = *what.from;
  lane_field& to = *what.to;
  const auto is = [&](field_precision a, field_precision b) {
    return from.kind() == a && to.kind() == b;
  };
  const bool in_place = from.lanes() == to.lanes() && !what.adds;
  const int reals = 2 * from.components();
  const auto reals_of = [&]<class From, class To>(From, To) {
    if (what.adds) return convert_reals<From, To, true>(what, begin, end);
    convert_reals<From, To, false>(what, begin, end);
  };
  if (is(field_precision::double_, field_precision::single)) return reals_of(double{}, float{});
  if (is(field_precision::single, field_precision::double_)) return reals_of(float{}, double{});
  if (is(field_precision::double_, field_precision::double_)) return reals_of(double{}, double{});
  if (is(field_precision::single, field_precision::single)) return reals_of(float{}, float{});
  if (in_place && is(field_precision::single, field_precision::half)) {
    return for_each_block(what, begin, end, [&](std::size_t k, std::size_t there, const auto*) {
      to_half(reinterpret_cast<const float*>(from.block(k)), reals, from.lanes(), to.block(there));
    });
  }
  if (from.lanes() == to.lanes() && is(field_precision::half, field_precision::single)) {
    return for_each_block(what, begin, end, [&](std::size_t k, std::size_t there, const auto*) {
      from_half(from.block(k), reals, from.lanes(), what.adds,
                reinterpret_cast<float*>(to.block(there)));
    });
  }
  convert_sites(what, begin, end);
}

}  // namespace onehop
