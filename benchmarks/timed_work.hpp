#pragma once
/// timed_work is work on fields whose time is compared with what the machine can reach.

#include <onehop/collectives.hpp>
#include <onehop/context.hpp>

#include <array>
#include <chrono>

#include "dirac/kernel_table.hpp"
#include "lattice/lane_layout.hpp"
#include "measure/stopwatch.hpp"

namespace onehop::bench {

/// A work_split contains seconds of this rank per unit of work; each part is measured by its own
/// clock.
struct work_split {
  double whole = 0;
  double operators = 0;   ///< hopping kernels and packing
  double faces = 0;       ///< waiting for faces
  double reductions = 0;  ///< summing over ranks
  double vectors = 0;     ///< vector algebra, and sums over this rank's sites
};

class timed_work {
 public:
  virtual ~timed_work() = default;
  virtual void run(int count) = 0;
  /// Returns the seconds of this rank for `count` units; all ranks start together. Collective.
  virtual double seconds(int count) {
    barrier(layout().geometry().context());
    const auto begin = measure::stopwatch::clock::now();
    run(count);
    return std::chrono::duration<double>(measure::stopwatch::clock::now() - begin).count();
  }
  /// Returns the split of the last call of seconds(), which is zero if the work has no parts.
  virtual work_split split() const { return {}; }
  virtual const kernel_table& kernels() const = 0;
  virtual const lane_layout& layout() const = 0;
  /// These are the flops of one unit over all ranks, and the bytes of this rank, of which
  /// bytes_written() are written.
  virtual double flops() const = 0;
  virtual double bytes() const = 0;
  virtual double bytes_written() const = 0;
  /// Returns the bytes of this rank that are touched again each time.
  virtual double working_set() const = 0;
  virtual double error() = 0;
};

/// Returns the seconds of `work` on the slowest rank; all ranks start together. Collective.
template <class Work>
double seconds_of(const context& ctx, const Work& work) {
  barrier(ctx);
  const auto begin = measure::stopwatch::clock::now();
  work();
  std::array<double, 1> spent = {
      std::chrono::duration<double>(measure::stopwatch::clock::now() - begin).count()};
  allreduce_max(ctx, spent);
  return spent[0];
}

}  // namespace onehop::bench
