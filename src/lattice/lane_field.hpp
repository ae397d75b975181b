#pragma once
/// A lane_field is a field on the sites of one parity, spread over SIMD lanes.

#include "lattice/aligned_memory.hpp"
#include "lattice/field_precision.hpp"
#include "lattice/lane_layout.hpp"

#include <complex>
#include <cstddef>
#include <span>

namespace onehop {

class thread_team;

/// A lane_field has `components` complex numbers per site for each of `rhs` right-hand sides, in
/// blocks [vector][right-hand side] of [component][re, im][lane]; half-precision blocks start with
/// [lane] scales.
class lane_field {
 public:
  /// All numbers are zero, or undefined if memory comes from `pool`. A field picked from this one
  /// takes its memory there too.
  lane_field(const lane_layout& layout, int parity, int components,
             field_precision kind = field_precision::double_, int rhs = 1,
             std::shared_ptr<memory_pool> pool = nullptr);

  int parity() const noexcept { return parity_; }
  int components() const noexcept { return components_; }
  int lanes() const noexcept { return lanes_; }
  int rhs() const noexcept { return rhs_; }
  field_precision kind() const noexcept { return kind_; }
  std::size_t vectors() const noexcept { return vectors_; }
  std::size_t blocks() const noexcept { return vectors_ * rhs_; }
  std::size_t bytes() const noexcept { return blocks() * block_size(); }

  std::byte* data() noexcept { return memory_.data(); }
  const std::byte* data() const noexcept { return memory_.data(); }
  std::byte* block(std::size_t number) noexcept { return data() + number * block_size(); }
  const std::byte* block(std::size_t number) const noexcept {
    return data() + number * block_size();
  }
  std::size_t block_size() const noexcept { return block_bytes(kind_, 2 * components_, lanes_); }

  /// Reads one site's components of one right-hand side; meant for occasional use.
  void read(std::size_t block, int lane, std::span<std::complex<double>> values) const noexcept;
  void write(std::size_t block, int lane, std::span<const std::complex<double>> values) noexcept;

  /// Sets all numbers to zero. Each thread clears the vectors that it works on, so that memory not
  /// yet written comes from pages near that thread.
  void set_zero(thread_team& team) noexcept;
  /// Sets these right-hand sides to zero.
  void set_zero(std::span<const int> sides, thread_team& team) noexcept;
  /// Copies a field of the same shape.
  void copy_from(const lane_field& other, thread_team& team) noexcept;

  /// Returns these right-hand sides in a new field.
  lane_field pick(const lane_layout& layout, std::span<const int> sides) const;
  /// Becomes these right-hand sides of `other`, at most as many as this field had at first.
  void take(const lane_field& other, std::span<const int> sides) noexcept;
  /// Overwrites these right-hand sides with those of `from`, in order.
  void put(std::span<const int> sides, const lane_field& from) noexcept;
  /// Drops all right-hand sides except these, which are in ascending order.
  void keep(std::span<const int> sides) noexcept;
  /// Changes to this many right-hand sides, at most as many as at first; the numbers are undefined.
  void reshape(int rhs) noexcept { rhs_ = rhs; }

 private:
  int parity_, components_, lanes_, rhs_;
  field_precision kind_;
  std::size_t vectors_;
  pooled_memory memory_;
};

/// These convert from and to canonical order: local site ((t*Lz+z)*Ly+y)*Lx+x, then component. Only
/// the sites of the field's parity are touched. In the field, spinors are in the kernels' basis
/// (spin_basis.hpp).
void spread(const lane_layout& layout, std::span<const std::complex<double>> canonical,
            lane_field& field, int rhs = 0);
void collect(const lane_layout& layout, const lane_field& field,
             std::span<std::complex<double>> canonical, int rhs = 0);
/// These convert the vectors `begin` to `end`, for threads that share the work.
void spread(const lane_layout& layout, std::span<const std::complex<double>> canonical,
            lane_field& field, int rhs, std::size_t begin, std::size_t end);
void collect(const lane_layout& layout, const lane_field& field,
             std::span<std::complex<double>> canonical, int rhs, std::size_t begin,
             std::size_t end);

}  // namespace onehop
