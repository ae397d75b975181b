#pragma once
/// A sampler does heatbath and over-relaxation of classical Heisenberg spins, H = - sum over bonds
/// of J s.s.

#include "couplings.hpp"
#include "row_kernels.hpp"
#include "spin_field.hpp"
#include "sweep_order.hpp"

#include <onehop/kernel_cost.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace spin_glass {

/// The overlap says whether inner sites are updated while faces travel, or before they leave.
enum class overlap : std::uint8_t { bulk, none };

/// time_taken is the time that a sampler has used, by the clock of its context.
struct time_taken {
  double updates_s = 0;  ///< time in kernels
  double halo_s = 0;     ///< time in start and wait of the chains
};

/// A sampler has the spins of one replica, on all ranks together. Every update and every energy has
/// the same bits on any grid of ranks, transport and instruction set, because a site's numbers
/// depend on its neighbours and on its own random numbers, and sums are exact. Members are
/// collective, except for `spin` and those that only return a value. All throw as put_chain::wait
/// does.
template <class Real>
class sampler {
 public:
  /// `replica` is below 65536; each replica of a sample has its own random numbers.
  explicit sampler(std::shared_ptr<const couplings<Real>> bonds, int replica = 0,
                   overlap how = overlap::bulk);

  const checkerboard& block() const noexcept { return spins_.block(); }
  const onehop::cartesian& ranks() const noexcept { return block().ranks(); }

  /// Draws directions that are uniform on the sphere.
  void set_hot(std::uint64_t seed);
  /// Sets spins by global coordinate; each is scaled to unit length.
  void set_spins(const std::function<std::array<double, 3>(const onehop::coordinate&)>& spin_at);
  const spin_field<Real>& spins() const noexcept { return spins_; }
  /// Returns the spin at a site of this rank's block.
  std::array<Real, 3> spin(int x, int y, int z) const noexcept { return spins_.spin(x, y, z); }

  /// Sets s' = 2 (h.s) / (h.h) h - s with h = sum of J s over the neighbours, which keeps the
  /// energy. overrelax updates one colour; overrelax_both updates both one after the other, as many
  /// times as given.
  void overrelax(int colour);
  void overrelax_both(int times);
  /// Lets this number of over-relaxations of both colours go over the lattice together; with 0, one
  /// colour is updated after the other. The constructor chooses as many as a cache has room for.
  /// Spins have the same bits for any number. A lattice that is divided in x or y is updated colour
  /// by colour, and so is a lattice on a virtual machine, which is charged for whole half-sweeps.
  void go_together(int overrelaxations);
  /// Draws each spin from exp(beta h.s), both colours; 0 <= sweep < 2^40.
  void heatbath(double beta, std::uint64_t seed, std::uint64_t sweep);
  /// Returns the energy of the whole lattice, rounded once.
  double energy();

  const time_taken& times() const noexcept { return times_; }
  /// Returns the work on a colour's sites, as it is charged to a virtual machine: 6 neighbours and
  /// couplings, and the spin read and written. A neighbour's line is read once for all sites that
  /// share it.
  static onehop::kernel_cost overrelaxation_cost(std::size_t sites) noexcept;
  static onehop::kernel_cost heatbath_cost(std::size_t sites) noexcept;

  /// Selects another of the kernels that this processor supports.
  void use(const row_kernels<Real>& kernels) noexcept { kernels_ = &kernels; }
  const row_kernels<Real>& used() const noexcept { return *kernels_; }

 private:
  using row_work = std::function<void(const row_job<Real>&)>;
  /// A part is the rows y0 .. y1 - 1 of a plane, and the places first .. last - 1 of each row, as
  /// in row_job.
  struct part {
    int z, y0, y1, first, last;
  };

  void find_parts();
  void add_rows(std::vector<part>& to, int z, int y0, int y1);
  row_job<Real> job(int colour, const part& what) const;
  void set_ends(row_job<Real>& made, int colour, const part& what) const;
  template <class Work>
  void update(int colour, onehop::kernel_cost (*cost)(std::size_t), const Work& work);
  template <class Work>
  void run(int colour, const std::vector<part>& parts, onehop::kernel_cost (*cost)(std::size_t),
           const Work& work);
  template <class Member>
  void timed_halo(const Member& member);
  void exchange(int colour);
  void find_together();
  void overrelax_together(int half_sweeps);
  void overrelax_planes(const std::vector<plane_sweep>& planes, int half_sweeps);

  std::shared_ptr<const couplings<Real>> bonds_;
  spin_field<Real> spins_;
  std::uint64_t replica_;
  overlap how_;
  const row_kernels<Real>* kernels_;
  std::vector<part> faces_, inside_;
  int together_ = 0;
  sweep_order order_;
  time_taken times_;
};

}  // namespace spin_glass
