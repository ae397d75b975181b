#include "lattice/lane_field.hpp"

#include "lattice/spin_basis.hpp"
#include "machine/thread_team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace onehop {
namespace {

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

/// Calls visit(index of the first component in canonical order, vector, lane) for the sites of some
/// vectors. The step of that index from lane to lane is the same for every vector.
template <class Visit>
void for_each_site(const lane_layout& layout, const lane_field& field, std::size_t begin,
                   std::size_t end, const Visit& visit) {
  if (begin == end) return;
  const geometry& g = layout.geometry();
  const int parity = field.parity();
  std::array<std::size_t, most_lanes> from_lane_0{};
  const std::size_t origin = g.local_index(layout.first_site(parity, 0));
  for (int lane = 0; lane < field.lanes(); ++lane) {
    from_lane_0[lane] = g.local_index(layout.site(parity, 0, lane)) - origin;
  }
  for (std::size_t vector = begin; vector < end; ++vector) {
    const std::size_t first =
        g.local_index(layout.first_site(parity, static_cast<std::int32_t>(vector)));
    for (int lane = 0; lane < field.lanes(); ++lane) {
      visit((first + from_lane_0[lane]) * field.components(), vector, lane);
    }
  }
}

}  // namespace

// A field has at least one vector, because a kernel may read the neighbour of a site whose lanes
// all come from a ghost, even on a block without sites of that parity.
lane_field::lane_field(const lane_layout& layout, int parity, int components, field_precision kind,
                       int rhs, std::shared_ptr<memory_pool> pool)
    : parity_(parity),
      components_(components),
      lanes_(layout.lanes()),
      rhs_(rhs),
      kind_(kind),
      vectors_(layout.vectors(parity)),
      memory_(std::max<std::size_t>(vectors_, 1) * rhs * block_size(), std::move(pool)) {}

void lane_field::read(std::size_t number, int lane,
                      std::span<std::complex<double>> values) const noexcept {
  const std::byte* from = block(number);
  if (kind_ == field_precision::double_) return read_reals<double>(from, lane, lanes_, values);
  if (kind_ == field_precision::single) return read_reals<float>(from, lane, lanes_, values);
  const double scale = reinterpret_cast<const float*>(from)[lane] / double{fixed_one};
  read_reals<std::int16_t>(from + lanes_ * sizeof(float), lane, lanes_, values);
  for (auto& value : values) value *= scale;
}

void lane_field::write(std::size_t number, int lane,
                       std::span<const std::complex<double>> values) noexcept {
  std::byte* to = block(number);
  if (kind_ == field_precision::double_) return write_reals<double>(to, lane, lanes_, values);
  if (kind_ == field_precision::single) return write_reals<float>(to, lane, lanes_, values);
  double largest = 0;
  for (const auto& value : values) {
    largest = std::max({largest, std::abs(value.real()), std::abs(value.imag())});
  }
  // The scale is rounded up, so that no scaled number exceeds one.
  const float scale = std::nextafter(static_cast<float>(largest), 2 * static_cast<float>(largest));
  reinterpret_cast<float*>(to)[lane] = scale;
  write_reals<std::int16_t>(to + lanes_ * sizeof(float), lane, lanes_, values,
                            scale == 0 ? 0.0 : double{fixed_one} / static_cast<double>(scale));
}

void lane_field::set_zero(thread_team& team) noexcept {
  team.run([&](int thread) {
    const auto share = team.share(vectors_, thread);
    std::memset(block(share.begin * rhs_), 0, (share.end - share.begin) * rhs_ * block_size());
  });
}

void lane_field::set_zero(std::span<const int> sides, thread_team& team) noexcept {
  if (sides.size() == static_cast<std::size_t>(rhs_)) return set_zero(team);
  team.run([&](int thread) {
    const auto share = team.share(vectors_, thread);
    for (std::size_t vector = share.begin; vector < share.end; ++vector) {
      for (const int side : sides) std::memset(block(vector * rhs_ + side), 0, block_size());
    }
  });
}

void lane_field::copy_from(const lane_field& other, thread_team& team) noexcept {
  team.run([&](int thread) {
    const auto share = team.share(vectors_, thread);
    const std::size_t first = share.begin * rhs_;
    std::memcpy(block(first), other.block(first),
                share.end * rhs_ * block_size() - first * block_size());
  });
}

lane_field lane_field::pick(const lane_layout& layout, std::span<const int> sides) const {
  lane_field picked(layout, parity_, components_, kind_, static_cast<int>(sides.size()),
                    memory_.pool());
  picked.take(*this, sides);
  return picked;
}

void lane_field::take(const lane_field& other, std::span<const int> sides) noexcept {
  reshape(static_cast<int>(sides.size()));
  for (std::size_t vector = 0; vector < vectors_; ++vector) {
    for (std::size_t k = 0; k < sides.size(); ++k) {
      std::memcpy(block(vector * sides.size() + k), other.block(vector * other.rhs_ + sides[k]),
                  block_size());
    }
  }
}

void lane_field::put(std::span<const int> sides, const lane_field& from) noexcept {
  for (std::size_t vector = 0; vector < vectors_; ++vector) {
    for (std::size_t k = 0; k < sides.size(); ++k) {
      std::memcpy(block(vector * rhs_ + sides[k]), from.block(vector * sides.size() + k),
                  block_size());
    }
  }
}

// No block is moved onto one that has still to be moved.
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
  spread(layout, canonical, field, rhs, 0, field.vectors());
}

void spread(const lane_layout& layout, std::span<const std::complex<double>> canonical,
            lane_field& field, int rhs, std::size_t begin, std::size_t end) {
  for_each_site(layout, field, begin, end, [&](std::size_t index, std::size_t vector, int lane) {
    const std::size_t block = vector * field.rhs() + rhs;
    const auto values = canonical.subspan(index, field.components());
    if (field.components() != spinor_components) return field.write(block, lane, values);
    std::array<std::complex<double>, spinor_components> spinor;
    std::ranges::copy(values, spinor.begin());
    turn_spin_basis(reinterpret_cast<double*>(spinor.data()));
    field.write(block, lane, spinor);
  });
}

void collect(const lane_layout& layout, const lane_field& field,
             std::span<std::complex<double>> canonical, int rhs) {
  collect(layout, field, canonical, rhs, 0, field.vectors());
}

void collect(const lane_layout& layout, const lane_field& field,
             std::span<std::complex<double>> canonical, int rhs, std::size_t begin,
             std::size_t end) {
  for_each_site(layout, field, begin, end, [&](std::size_t index, std::size_t vector, int lane) {
    const auto values = canonical.subspan(index, field.components());
    field.read(vector * field.rhs() + rhs, lane, values);
    if (field.components() == spinor_components) {
      turn_spin_basis(reinterpret_cast<double*>(values.data()));
    }
  });
}

}  // namespace onehop
