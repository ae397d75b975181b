#pragma once
/// Here the devices of a machine do collectives among themselves.

#include <memory>
#include <span>
#include <vector>

#include "device/driver/device_kernels.hpp"
#include "device/driver/peer_memory.hpp"
#include "device/driver/queue.hpp"
#include "rma/device_channels.hpp"

namespace onehop {

class worker final : public device_worker {
 public:
  /// `kernels` may be null if nothing is combined.
  worker(device::driver::context owner, device::peer_cache& peers,
         const device::device_kernels* kernels);

  void* stream() const noexcept override { return queue_.get(); }
  void follow(void* stream) override;
  std::span<std::byte> landing(std::size_t bytes) override;
  void copy(std::span<const std::byte> from, std::byte* to) override;
  void combine(std::span<const std::byte* const> from, std::size_t own, std::span<std::byte> into,
               const combiner& how) override;
  void mark() override { queue_.mark(finished_); }
  bool done() const override { return finished_.reached(); }

 private:
  device::driver::context owner_;
  device::peer_cache& peers_;
  const device::device_kernels* kernels_;
  std::vector<std::shared_ptr<device::device_memory>> landings_;
  device::queue queue_;  ///< after the memory that it uses
  device::marker followed_, finished_;
};

/// Makes a worker for parts that all lie in memory of the context `owner`, or says why there is
/// none.
found_worker make_worker(device::driver::context owner, device::peer_cache& peers,
                         const std::vector<mirrored_part>& parts, const combiner* combine);

}  // namespace onehop
