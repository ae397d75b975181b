#pragma once
/// device_work is work on a device whose time is measured.

#include <functional>
#include <memory>

#include "benchmarks/operator_rate.hpp"
#include "device/backend.hpp"
#include "dirac/hop_links.hpp"

namespace onehop::bench {

/// device_work enqueues the work that is timed.
class device_work {
 public:
  virtual ~device_work() = default;
  virtual void run(device::stream& on, int count) = 0;
  /// These are the flops of one unit over all ranks, and the bytes of this rank.
  virtual double flops() const = 0;
  virtual double bytes() const = 0;
  virtual double error() = 0;
};

/// Makes the hopping term, or iterations of a solver; `where` and `links` must outlive it.
std::unique_ptr<device_work> make_device_work(device::backend& where, const hop_links& links,
                                              const operator_cell& cell);

/// Opens the device of the cell; collective. Returns null for the host.
std::unique_ptr<device::backend> open_cell_device(const context& ctx, const operator_cell& cell);

/// Returns the seconds until the device has finished the work that `work` enqueues, on the slowest
/// rank; all ranks start together.
double device_seconds(const context& ctx, device::stream& on, const std::function<void()>& work);

/// Returns how many units make a block of about two milliseconds. Iterations of a solver are
/// enqueued eight at a time; after more than a few dozen, there is nothing left to iterate on.
int count_for_a_block(const context& ctx, device::stream& on,
                      const std::function<void(int count)>& work);

}  // namespace onehop::bench
