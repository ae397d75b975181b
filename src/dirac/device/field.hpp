#pragma once
/// A device field is a batch of fields on the sites of one parity, in device memory.

#include "device/backend.hpp"
#include "dirac/device/jobs.hpp"
#include "dirac/device/kernel_table.hpp"
#include "dirac/device/pack.hpp"

#include <onehop/geometry.hpp>

#include <complex>
#include <cstddef>
#include <span>

namespace onehop::device {

/// Returns the bytes of a stored real.
constexpr std::size_t bytes_of_real(field_precision kind) {
  return kind == field_precision::half ? 2 : arithmetic_bytes(kind);
}

/// A field holds a batch of right-hand sides.
class field {
 public:
  /// All numbers are zero initially. The back end `where` must outlive the field.
  field(backend& where, std::int32_t count, int components, field_precision kind, int rhs = 1)
      : kind_(kind),
        components_(components),
        count_(count),
        rhs_(rhs),
        rows_(where, rhs * rhs_bytes()) {
    if (kind == field_precision::half) {
      scales_ = memory(where, rhs * static_cast<std::size_t>(padded_sites(count)) * sizeof(float));
    }
  }

  field_precision kind() const noexcept { return kind_; }
  int components() const noexcept { return components_; }
  std::int32_t count() const noexcept { return count_; }
  int rhs() const noexcept { return rhs_; }
  /// Uses this many right-hand sides from now on, at most as many as it was constructed with.
  void reshape(int rhs) noexcept { rhs_ = rhs; }
  field_view view(int first_rhs = 0) const noexcept {
    const std::int64_t sites = padded_sites(count_);
    return {rows_.as<std::byte>() + first_rhs * rhs_bytes(),
            scales_.as<float>() + first_rhs * sites, sites, static_cast<std::int64_t>(rhs_bytes())};
  }
  /// Returns the bytes without padding.
  std::size_t bytes() const noexcept {
    const std::size_t scale = kind_ == field_precision::half ? sizeof(float) : 0;
    return (2 * components_ * bytes_of_real(kind_) + scale) * count_ * rhs_;
  }
  void clear(stream& on) { on.clear(rows_.data(), rhs_ * rhs_bytes()); }

 private:
  std::size_t rhs_bytes() const noexcept {
    return static_cast<std::size_t>(padded_sites(count_)) * 2 * components_ * bytes_of_real(kind_);
  }

  field_precision kind_;
  int components_;
  std::int32_t count_;
  int rhs_;
  memory rows_, scales_;
};

}  // namespace onehop::device
