#include "lattice/lane_field.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace onehop {
namespace {

double* allocate_zeros(std::size_t count) {
  constexpr std::size_t unit = aligned_reals::alignment;
  const std::size_t bytes = std::max(unit, (count * sizeof(double) + unit - 1) / unit * unit);
  void* memory = std::aligned_alloc(unit, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, bytes);
  return static_cast<double*>(memory);
}

/// Calls visit(index of the first component in canonical order, pointer to the first component's
/// real part of that lane).
template <class Real, class Visit>
void for_each_site(const lane_layout& layout, int parity, int components, Real* reals,
                   const Visit& visit) {
  const int lanes = layout.lanes();
  for (std::int32_t vector = 0; vector < layout.vectors(parity); ++vector) {
    Real* first = reals + static_cast<std::size_t>(vector) * components * 2 * lanes;
    for (int lane = 0; lane < lanes; ++lane) {
      const coordinate site = layout.site(parity, vector, lane);
      visit(layout.geometry().local_index(site) * components, first + lane);
    }
  }
}

}  // namespace

aligned_reals::aligned_reals(std::size_t count) : size_(count), memory_(allocate_zeros(count)) {}

// One vector at least, so that a kernel may read the neighbour of a site whose lanes all come from
// a ghost even on a block without sites of that parity.
lane_field::lane_field(const lane_layout& layout, int parity, int components)
    : parity_(parity),
      components_(components),
      lanes_(layout.lanes()),
      vectors_(layout.vectors(parity)),
      reals_(std::max<std::size_t>(vectors_, 1) * components * 2 * lanes_) {}

void lane_field::copy_from(const lane_field& other) noexcept {
  std::copy_n(other.data(), size(), data());
}

void spread(const lane_layout& layout, std::span<const std::complex<double>> canonical,
            lane_field& field) {
  const int stride = 2 * field.lanes();
  for_each_site(layout, field.parity(), field.components(), field.data(),
                [&](std::size_t index, double* lane) {
                  for (int c = 0; c < field.components(); ++c) {
                    lane[c * stride] = canonical[index + c].real();
                    lane[c * stride + field.lanes()] = canonical[index + c].imag();
                  }
                });
}

void collect(const lane_layout& layout, const lane_field& field,
             std::span<std::complex<double>> canonical) {
  const int stride = 2 * field.lanes();
  for_each_site(layout, field.parity(), field.components(), field.data(),
                [&](std::size_t index, const double* lane) {
                  for (int c = 0; c < field.components(); ++c) {
                    canonical[index + c] = {lane[c * stride], lane[c * stride + field.lanes()]};
                  }
                });
}

}  // namespace onehop
