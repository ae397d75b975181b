#pragma once
/// A field on the sites of one parity, spread over SIMD lanes.

#include "lattice/lane_layout.hpp"

#include <complex>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

namespace onehop {

/// Reals aligned for the widest vectors.
class aligned_reals {
 public:
  static constexpr std::size_t alignment = 64;

  /// `count` zeros.
  explicit aligned_reals(std::size_t count);

  double* data() noexcept { return memory_.get(); }
  const double* data() const noexcept { return memory_.get(); }
  std::size_t size() const noexcept { return size_; }

 private:
  struct release {
    void operator()(double* p) const noexcept { std::free(p); }
  };
  std::size_t size_;
  std::unique_ptr<double, release> memory_;
};

/// `components` complex numbers per site: [vector][component][re, im][lane].
class lane_field {
 public:
  /// All zero.
  lane_field(const lane_layout& layout, int parity, int components);

  int parity() const noexcept { return parity_; }
  int components() const noexcept { return components_; }
  int lanes() const noexcept { return lanes_; }
  std::size_t vectors() const noexcept { return vectors_; }
  /// Reals in use.
  std::size_t size() const noexcept { return vectors_ * components_ * 2 * lanes_; }

  double* data() noexcept { return reals_.data(); }
  const double* data() const noexcept { return reals_.data(); }
  /// Same shape required.
  void copy_from(const lane_field& other) noexcept;

 private:
  int parity_, components_, lanes_;
  std::size_t vectors_;
  aligned_reals reals_;
};

/// From and to canonical order: local site ((t*Lz+z)*Ly+y)*Lx+x, then component. Only the sites of
/// the field's parity are touched.
void spread(const lane_layout& layout, std::span<const std::complex<double>> canonical,
            lane_field& field);
void collect(const lane_layout& layout, const lane_field& field,
             std::span<std::complex<double>> canonical);

}  // namespace onehop
