#pragma once
/// This is the hopping term on a device, including its halo exchange.

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
  /// These are the terms with which a hop computes out = result_factor (addend_factor addend +
  /// hop_scale H in).
  struct terms {
    double hop_scale = 1;
    const field* addend = nullptr;
    site_factor addend_factor{};
    site_factor result_factor{};
    /// The sums |out|^2 and Re <addend, out> of this rank are stored here in device memory, for
    /// each right-hand side.
    per_rhs<two_sums> sums{};
    rhs_switches active{};
  };

  /// The constructor is collective. `of` are the operator's links and are not kept; `where` must
  /// outlive this object. Throws what checked_recon and make_site_map throw. Fields have at most
  /// how.rhs right-hand sides.
  hopping(backend& where, const hop_links& of, const hop_settings& how, field_precision precision);

  /// Enqueues a hop, and waits for other ranks' faces if `on` cannot. `out` has parity `parity` and
  /// `in` the opposite one; the addend (may be null) has the parity of out. All have equally many
  /// right-hand sides. Collective.
  void apply(stream& on, field& out, const field& in, int parity, const terms& what,
             bool dagger = false);
  /// Waits on the host until `on` has finished, and throws if it cannot finish because another rank
  /// has failed.
  void synchronise(stream& on);
  /// Sets out = factor in, for 12 components.
  void multiply(stream& on, field& out, const field& in, const site_factor& factor) const;
  /// Completes the sums that a kernel has left in partials(), for this many right-hand sides.
  void finish_sums(stream& on, int rhs, const per_rhs<two_sums>& result) const;
  /// Sums |x|^2 and, if w is given, Re <x, w> on this rank.
  void norm_and_dot(stream& on, const field& x, const field* w, const per_rhs<two_sums>& result,
                    const rhs_switches& active = {});
  /// Sums <x, w> on this rank, for 12 components.
  void complex_dot(stream& on, const field& x, const field& w, const per_rhs<two_sums>& result,
                   const rhs_switches& active = {});

  /// Makes a field of how.rhs right-hand sides.
  field make_field() const {
    return {*where_, count_, components(how_.kind), precision_, how_.rhs};
  }
  /// Returns whether no data come from other ranks, so that the work can be recorded.
  bool alone() const noexcept { return halos_[0].empty() && halos_[1].empty(); }
  const hop_settings& how() const noexcept { return how_; }
  field_precision precision() const noexcept { return precision_; }
  const site_map& map() const noexcept { return map_; }
  /// Returns the layout, which has one lane.
  const lane_layout& layout() const noexcept { return layout_; }
  const geometry& shape() const noexcept { return layout_.geometry(); }
  backend& where() const noexcept { return *where_; }
  const kernel_table& kernels() const noexcept { return *kernels_; }
  /// Returns the number of sites of one parity on this rank.
  std::int32_t count() const noexcept { return count_; }
  two_sums* partials() const noexcept { return partials_.as<two_sums>(); }
  /// Returns the bytes that one application to this many right-hand sides moves on this rank if
  /// everything is moved once.
  std::size_t bytes(bool with_addend, int rhs = 1) const noexcept;
  /// Describes how faces travel, one line per put; empty if none do, and before the first exchange.
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
  std::array<memory, 2> boundary_;  ///< by parity: the sites with a neighbour on another rank
  std::array<std::int32_t, 2> boundary_count_{};
  memory partials_;
};

}  // namespace onehop::device
