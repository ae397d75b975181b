#pragma once
/// This is the hopping term on a device, with its halo exchange.

#include "dirac/device/block.hpp"
#include "dirac/device/field.hpp"
#include "dirac/device/halo.hpp"
#include "dirac/device/links.hpp"
#include "dirac/hop_settings.hpp"
#include "lattice/lane_layout.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace onehop::device {

class hopping {
 public:
  /// A hop computes out = result_factor (addend_factor addend + hop_scale H in) with these terms.
  struct terms {
    double hop_scale = 1;
    const field* addend = nullptr;
    site_factor addend_factor{};
    site_factor result_factor{};
    /// The sums |out|^2 and Re <addend, out> of this rank, for each right-hand side, go to this
    /// memory of the device.
    per_rhs<two_sums> sums{};
    rhs_switches active{};
  };

  /// The constructor is collective. `of` are the links of the operator and are not kept; `where`
  /// must outlive this. Throws what checked_recon and make_site_map throw. Fields have at most
  /// how.rhs right-hand sides.
  hopping(backend& where, const hop_links& of, const hop_settings& how, field_precision precision);

  /// Enqueues a hop, and waits for faces of other ranks where `on` cannot. `out` has parity
  /// `parity`, `in` the other, the addend (may be null) that of out; all have as many right-hand
  /// sides. Collective.
  void apply(stream& on, field& out, const field& in, int parity, const terms& what,
             bool dagger = false);
  /// Waits on the host until `on` is done, and throws where it cannot end because another rank has
  /// failed.
  void synchronise(stream& on);
  /// Sets out = factor in, for 12 components.
  void multiply(stream& on, field& out, const field& in, const site_factor& factor) const;
  /// Adds up what a kernel has left in partials() for this many right-hand sides.
  void finish_sums(stream& on, int rhs, const per_rhs<two_sums>& result) const;
  /// Sums |x|^2 and, with w, Re <x, w> of this rank.
  void norm_and_dot(stream& on, const field& x, const field* w, const per_rhs<two_sums>& result,
                    const rhs_switches& active = {});
  /// Sums <x, w> of this rank, for 12 components.
  void complex_dot(stream& on, const field& x, const field& w, const per_rhs<two_sums>& result,
                   const rhs_switches& active = {});

  /// Makes a field of how.rhs right-hand sides.
  field make_field() const {
    return {*where_, count_, components(how_.kind), precision_, how_.rhs};
  }
  /// Returns whether the work needs nothing from other ranks, so that it can be recorded.
  bool alone() const noexcept { return halos_[0].empty() && halos_[1].empty(); }
  const hop_settings& how() const noexcept { return how_; }
  field_precision precision() const noexcept { return precision_; }
  const site_map& map() const noexcept { return map_; }
  /// Returns the layout, which has one lane.
  const lane_layout& layout() const noexcept { return layout_; }
  const geometry& shape() const noexcept { return layout_.geometry(); }
  backend& where() const noexcept { return *where_; }
  const kernel_table& kernels() const noexcept { return *kernels_; }
  /// Returns the sites of a parity of this rank.
  std::int32_t count() const noexcept { return count_; }
  two_sums* partials() const noexcept { return partials_.as<two_sums>(); }
  /// Returns the bytes that one application to this many right-hand sides moves on this rank when
  /// everything is moved once.
  std::size_t bytes(bool with_addend, int rhs = 1) const noexcept;
  /// Describes how faces travel, a line for each put; empty where none do, and before the first
  /// exchange.
  std::string describe_faces() const { return halos_[0].describe(); }
  std::chrono::nanoseconds halo_wait() const noexcept {
    return halos_[0].waited() + halos_[1].waited();
  }

 private:
  hop_job make_job(field& out, const field& in, int parity, const terms& what) const;
  field_job sums_job_of(const field& x, const rhs_switches& active) const;
  void run(stream& on, const hop_job& job, bool dagger) const;

  backend* where_;
  hop_settings how_;
  field_precision precision_;
  lane_layout layout_;
  site_map map_;
  const kernel_table* kernels_;
  std::int32_t count_;
  std::unique_ptr<stream> copies_;
  links links_;
  std::optional<links> far_links_;
  std::array<halo, 2> halos_;       ///< halo by parity of the field that travels
  std::array<memory, 2> boundary_;  ///< by parity, the sites with a neighbour on another rank
  std::array<std::int32_t, 2> boundary_count_{};
  memory partials_;
};

}  // namespace onehop::device
