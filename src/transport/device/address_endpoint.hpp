#pragma once
/// An address_endpoint runs a chain with memory of devices over a transport that accepts device
/// addresses. Sources and windows are passed to the transport unchanged.
///
/// What start enqueues begins once the stream reaches it, because the transport knows no streams.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/driver/queue.hpp"
#include "rma/device_channels.hpp"
#include "rma/exposed_memory.hpp"

namespace onehop {

class address_endpoint final : public device_endpoint, private progress_task {
 public:
  struct part {
    std::unique_ptr<endpoint> runner;
    std::shared_ptr<exposed_memory> window, own;  ///< what the runner was made for
    /// This is the context of this rank's device memory, or null if it has none.
    device::driver::context owner = nullptr;
    std::string why;                ///< who said that the transport takes addresses
    std::string why_host;           ///< why the host waits, where a stream was to; else empty
    std::vector<std::string> ends;  ///< by put, between whose memories it goes; empty for hosts
  };

  address_endpoint(const context& ctx, part mine);
  ~address_endpoint() override;

  bool on_device() const noexcept override { return mine_.owner != nullptr; }
  void follow(void* stream) override {
    followed_->set(static_cast<device::driver::stream>(stream));
  }
  bool has_come(std::size_t arrival) const override { return last_arrived(arrival) >= exchange_; }

  bool start(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override;
  bool arrived(std::size_t arrival, std::uint64_t exchange) override;
  std::uint64_t last_arrived(std::size_t arrival) const override;
  std::size_t arrived_bytes(std::size_t arrival, std::uint64_t exchange) const override {
    return mine_.runner->arrived_bytes(arrival, exchange);
  }
  bool source_free(std::size_t put, std::uint64_t exchange) override;
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  bool direct(std::size_t) const override { return false; }
  std::string describe(std::size_t put) const override;

 private:
  bool progress() override;

  context ctx_;
  part mine_;
  std::optional<device::marker> followed_;
  std::uint64_t exchange_ = 0;
  bool begun_ = false, fired_ = false;  ///< the stream has passed this start; all puts are fired
};

}  // namespace onehop
