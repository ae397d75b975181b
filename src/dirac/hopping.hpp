#pragma once
/// This is the hopping term between the two parities, including its halo exchange.

#include "dirac/hop_choice.hpp"
#include "dirac/hop_settings.hpp"
#include "dirac/kernels.hpp"
#include "dirac/link_field.hpp"
#include "dirac/vector_order.hpp"
#include "lattice/face_exchange.hpp"
#include "lattice/lane_field.hpp"
#include "machine/thread_team.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <span>

namespace onehop {

/// hop_time is the time spent on this rank since construction.
struct hop_time {
  std::chrono::nanoseconds compute{0};  ///< packing and kernels
  std::chrono::nanoseconds halo_wait{0};
};

/// H psi(x) = sum over the 8 neighbours of (spin projector) (link) psi(neighbour):
/// Wilson sum_mu [(1-g_mu) U_mu(x) psi(x+mu) + (1+g_mu) U_mu^+(x-mu) psi(x-mu)],
/// staggered sum_mu eta_mu(x) [U_mu(x) chi(x+mu) - U_mu^+(x-mu) chi(x-mu)],
/// improved with fat links for U, and N_mu(x) chi(x+3mu) - N_mu^+(x-3mu) chi(x-3mu) besides.
///
/// Fields have the storage and the lanes of the kernels, and all as many right-hand sides.
class hopping {
 public:
  /// These are the terms with which a hop computes out = result_factor (addend_factor addend +
  /// hop_scale H in).
  struct terms {
    double hop_scale = 1;
    const lane_field* addend = nullptr;
    site_factor addend_factor{};
    site_factor result_factor{};
    site_sums sums{};  ///< sums over the result, computed along the way
  };

  /// The constructor is collective. `links` are the operator's links and are not kept; `layout` has
  /// their reach; `team` must outlive this object. Throws usage_error for links of another
  /// operator, and for improved links with fewer than 18 reals.
  hopping(const lane_layout& layout, const hop_links& links, const hop_settings& how,
          const kernel_table& kernels, thread_team& team);

  /// Applies the hop: `in` has the parity opposite to `out`, and the addend (may be null) that of
  /// out. Collective. The bits do not depend on `overlap`.
  void apply(lane_field& out, const lane_field& in, const terms& what, bool dagger = false);

  /// Performs hops by this choice from now on; until then the size decides.
  void choose(const hop_choice& choice);

  const lane_layout& layout() const noexcept { return layout_; }
  const kernel_table& kernels() const noexcept { return *kernels_; }
  dslash kind() const noexcept { return how_.kind; }
  thread_team& team() const noexcept { return *team_; }
  /// Returns the bytes that one application to fields of one parity moves on this rank if
  /// everything is moved once: links, `in`, `out` and the addend, if any, for this many right-hand
  /// sides.
  std::size_t bytes(bool with_addend, int rhs) const noexcept;
  const hop_time& time() const noexcept { return time_; }

 private:
  const context& ctx() const noexcept { return layout_.geometry().context(); }
  trace* recorder() const noexcept { return layout_.geometry().context().trace(); }
  hop_job make_job(lane_field& out, const lane_field& in, const terms& what) const;
  void start(const lane_field& in, bool dagger);
  void run(const hop_job& job, std::span<const std::int32_t> vectors, bool dagger) const;
  void run_traced(const char* what, const hop_job& job, std::span<const std::int32_t> vectors,
                  bool dagger) const;
  hop_footprint footprint(int rhs) const noexcept;
  /// Returns the bytes of a vector of a field with this many right-hand sides.
  std::size_t vector_bytes(int rhs) const noexcept;
  face_exchange make_exchange(int parity) const;
  vector_order make_order(int parity) const;
  void run_fused(hop_job& job, int parity, bool dagger);
  void run_as_faces_arrive(hop_job& job, int parity, bool dagger);
  void wait(int parity);
  void find_ghosts(hop_job& job, int parity, unsigned faces) const;

  lane_layout layout_;
  const kernel_table* kernels_;
  hop_settings how_;
  hop_choice choice_;
  thread_team* team_;
  std::size_t own_cache_;
  link_field links_;
  std::optional<link_field> far_links_;
  std::array<face_exchange, 2> exchanges_;  ///< exchange by parity of the field that travels
  std::array<vector_order, 2> orders_;      ///< order by parity of the field written
  hop_time time_;
};

}  // namespace onehop
