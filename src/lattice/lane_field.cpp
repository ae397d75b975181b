#include "lattice/lane_conversion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace onehop {
namespace {

constexpr std::size_t most_components = 12;
constexpr double fixed_one = 32767.0;

template <class Real>
void read_reals(const std::byte* block, std::size_t lane, std::size_t lanes,
                std::span<std::complex<double>> values) {
  const auto* reals = reinterpret_cast<const Real*>(block) + lane;
  for (std::size_t c = 0; c < values.size(); ++c) {
    values[c] = {static_cast<double>(reals[2 * c * lanes]),
                 static_cast<double>(reals[(2 * c + 1) * lanes])};
  }
}

template <class Real>
void write_reals(std::byte* block, std::size_t lane, std::size_t lanes,
                 std::span<const std::complex<double>> values, double scale = 1.0) {
  auto* reals = reinterpret_cast<Real*>(block) + lane;
  const auto stored = [scale](double value) {
    if constexpr (std::is_integral_v<Real>) return static_cast<Real>(std::lrint(value * scale));
    return static_cast<Real>(value);
  };
  for (std::size_t c = 0; c < values.size(); ++c) {
    reals[2 * c * lanes] = stored(values[c].real());
    reals[(2 * c + 1) * lanes] = stored(values[c].imag());
  }
}

/// Calls visit(index of the first component in canonical order, vector, lane).
template <class Visit>
void for_each_site(const lane_layout& layout, const lane_field& field, const Visit& visit) {
  for (std::int32_t vector = 0; vector < layout.vectors(field.parity()); ++vector) {
    for (int lane = 0; lane < field.lanes(); ++lane) {
      const coordinate site = layout.site(field.parity(), vector, lane);
      visit(layout.geometry().local_index(site) * field.components(),
            static_cast<std::size_t>(vector), lane);
    }
  }
}

}  // namespace

// One vector at least, so that a kernel may read the neighbour of a site whose lanes all come from
// a ghost even on a block without sites of that parity.
lane_field::lane_field(const lane_layout& layout, int parity, int components, storage kind, int rhs)
    : parity_(parity),
      components_(components),
      lanes_(layout.lanes()),
      rhs_(rhs),
      kind_(kind),
      vectors_(layout.vectors(parity)),
      memory_(std::max<std::size_t>(vectors_, 1) * rhs * block_size()) {}

void lane_field::read(std::size_t number, int lane,
                      std::span<std::complex<double>> values) const noexcept {
  const std::byte* from = block(number);
  if (kind_ == storage::real64) return read_reals<double>(from, lane, lanes_, values);
  if (kind_ == storage::real32) return read_reals<float>(from, lane, lanes_, values);
  const double scale = reinterpret_cast<const float*>(from)[lane] / fixed_one;
  read_reals<std::int16_t>(from + lanes_ * sizeof(float), lane, lanes_, values);
  for (auto& value : values) value *= scale;
}

void lane_field::write(std::size_t number, int lane,
                       std::span<const std::complex<double>> values) noexcept {
  std::byte* to = block(number);
  if (kind_ == storage::real64) return write_reals<double>(to, lane, lanes_, values);
  if (kind_ == storage::real32) return write_reals<float>(to, lane, lanes_, values);
  double largest = 0;
  for (const auto& value : values) {
    largest = std::max({largest, std::abs(value.real()), std::abs(value.imag())});
  }
  // Rounded up, so that no number is more than one.
  const float scale = std::nextafter(static_cast<float>(largest), 2 * static_cast<float>(largest));
  reinterpret_cast<float*>(to)[lane] = scale;
  write_reals<std::int16_t>(to + lanes_ * sizeof(float), lane, lanes_, values,
                            scale == 0 ? 0.0 : fixed_one / static_cast<double>(scale));
}

void lane_field::set_zero() noexcept { std::memset(data(), 0, bytes()); }

void lane_field::copy_from(const lane_field& other) noexcept {
  std::memcpy(data(), other.data(), bytes());
}

lane_field lane_field::pick(const lane_layout& layout, std::span<const int> sides) const {
  lane_field picked(layout, parity_, components_, kind_, static_cast<int>(sides.size()));
  for (std::size_t vector = 0; vector < vectors_; ++vector) {
    for (std::size_t k = 0; k < sides.size(); ++k) {
      std::memcpy(picked.block(vector * sides.size() + k), block(vector * rhs_ + sides[k]),
                  block_size());
    }
  }
  return picked;
}

void lane_field::put(std::span<const int> sides, const lane_field& from) noexcept {
  for (std::size_t vector = 0; vector < vectors_; ++vector) {
    for (std::size_t k = 0; k < sides.size(); ++k) {
      std::memcpy(block(vector * rhs_ + sides[k]), from.block(vector * sides.size() + k),
                  block_size());
    }
  }
}

// No block moves to where one lies that is still to be moved.
void lane_field::keep(std::span<const int> sides) noexcept {
  for (std::size_t vector = 0; vector < vectors_; ++vector) {
    for (std::size_t k = 0; k < sides.size(); ++k) {
      std::memmove(block(vector * sides.size() + k), block(vector * rhs_ + sides[k]), block_size());
    }
  }
  rhs_ = static_cast<int>(sides.size());
}

void spread(const lane_layout& layout, std::span<const std::complex<double>> canonical,
            lane_field& field, int rhs) {
  for_each_site(layout, field, [&](std::size_t index, std::size_t vector, int lane) {
    field.write(vector * field.rhs() + rhs, lane, canonical.subspan(index, field.components()));
  });
}

void collect(const lane_layout& layout, const lane_field& field,
             std::span<std::complex<double>> canonical, int rhs) {
  for_each_site(layout, field, [&](std::size_t index, std::size_t vector, int lane) {
    field.read(vector * field.rhs() + rhs, lane, canonical.subspan(index, field.components()));
  });
}

namespace {

/// Where the sites of one vector go.
struct lane_places {
  std::array<lane_layout::place, 64> of_lane;

  lane_places(const lane_layout& from_layout, const lane_field& from, const lane_layout& to_layout,
              std::size_t vector) {
    for (int lane = 0; lane < from.lanes(); ++lane) {
      of_lane[lane] = to_layout.locate(
          from_layout.site(from.parity(), static_cast<std::int32_t>(vector), lane));
    }
  }
};

/// One vector of sites, neither of fixed16 fields.
template <class From, class To>
void convert_reals(const lane_field& from, std::size_t vector, lane_field& to,
                   const lane_places& places) {
  const int reals = 2 * from.components();
  const auto from_lanes = static_cast<std::size_t>(from.lanes());
  const auto to_lanes = static_cast<std::size_t>(to.lanes());
  for (int r = 0; r < from.rhs(); ++r) {
    const auto* in = reinterpret_cast<const From*>(from.block(vector * from.rhs() + r));
    std::array<To*, 64> out;
    for (std::size_t lane = 0; lane < from_lanes; ++lane) {
      const auto block = static_cast<std::size_t>(places.of_lane[lane].vector) * to.rhs() + r;
      out[lane] = reinterpret_cast<To*>(to.block(block)) + places.of_lane[lane].lane;
    }
    for (int k = 0; k < reals; ++k, in += from_lanes) {
      for (std::size_t lane = 0; lane < from_lanes; ++lane) {
        out[lane][k * to_lanes] = static_cast<To>(in[lane]);
      }
    }
  }
}

}  // namespace

void convert_part(const lane_layout& from_layout, const lane_field& from,
                  const lane_layout& to_layout, lane_field& to, std::size_t begin,
                  std::size_t end) {
  if (from.kind() == to.kind() && from.lanes() == to.lanes()) {
    const std::size_t bytes = from.block_size() * from.rhs();
    std::memcpy(to.data() + begin * bytes, from.data() + begin * bytes, (end - begin) * bytes);
    return;
  }
  const bool narrows = from.kind() == storage::real64 && to.kind() == storage::real32;
  const bool widens = from.kind() == storage::real32 && to.kind() == storage::real64;
  std::array<std::complex<double>, most_components> values;
  const std::span<std::complex<double>> used(values.data(), from.components());
  for (std::size_t vector = begin; vector < end; ++vector) {
    const lane_places places(from_layout, from, to_layout, vector);
    if (narrows) {
      convert_reals<double, float>(from, vector, to, places);
      continue;
    }
    if (widens) {
      convert_reals<float, double>(from, vector, to, places);
      continue;
    }
    for (int lane = 0; lane < from.lanes(); ++lane) {
      const auto place = places.of_lane[lane];
      for (int r = 0; r < from.rhs(); ++r) {
        from.read(vector * from.rhs() + r, lane, used);
        to.write(static_cast<std::size_t>(place.vector) * to.rhs() + r, place.lane, used);
      }
    }
  }
}

void convert(const lane_layout& from_layout, const lane_field& from, const lane_layout& to_layout,
             lane_field& to) {
  convert_part(from_layout, from, to_layout, to, 0, from.vectors());
}

}  // namespace onehop
