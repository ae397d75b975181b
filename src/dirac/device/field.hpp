#pragma once
/// A field on the sites of one parity in the memory of a device.

#include "device/backend.hpp"
#include "dirac/device/jobs.hpp"
#include "dirac/device/kernel_table.hpp"

#include <onehop/geometry.hpp>

#include <complex>
#include <cstddef>
#include <span>

namespace onehop::device {

/// Packs of neighbouring sites begin on lines of memory: room for a multiple of 32 sites.
constexpr std::int64_t padded_stride(std::int64_t sites) { return (sites + 31) / 32 * 32; }

/// Bytes of a real as it is stored.
constexpr std::size_t bytes_of_real(storage kind) {
  return kind == storage::fixed16 ? 2 : arithmetic_bytes(kind);
}

class field {
 public:
  /// All zero. `where` must outlive this.
  field(backend& where, std::int32_t count, int components, storage kind)
      : kind_(kind),
        components_(components),
        count_(count),
        rows_(where, static_cast<std::size_t>(padded_stride(count)) * 2 * components *
                         bytes_of_real(kind)) {
    if (kind == storage::fixed16) {
      scales_ = memory(where, static_cast<std::size_t>(padded_stride(count)) * sizeof(float));
    }
  }

  storage kind() const noexcept { return kind_; }
  int components() const noexcept { return components_; }
  std::int32_t count() const noexcept { return count_; }
  field_view view() const noexcept {
    return {rows_.data(), scales_.as<float>(), padded_stride(count_)};
  }
  /// Without padding.
  std::size_t bytes() const noexcept {
    const std::size_t scale = kind_ == storage::fixed16 ? sizeof(float) : 0;
    return (2 * components_ * bytes_of_real(kind_) + scale) * count_;
  }
  void clear(stream& on) {
    on.clear(rows_.data(), static_cast<std::size_t>(padded_stride(count_)) * 2 * components_ *
                               bytes_of_real(kind_));
  }

 private:
  storage kind_;
  int components_;
  std::int32_t count_;
  memory rows_, scales_;
};

}  // namespace onehop::device
