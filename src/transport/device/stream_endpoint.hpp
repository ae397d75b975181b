#pragma once
/// A stream_endpoint runs a chain between devices of one machine on streams alone.
///
/// In exchange n, once the stream of the target's caller has reached start, the target's device
/// writes a word into the origin's memory. The origin's device waits for that word, copies, and
/// writes a word into the target's memory, for which the stream of the target's caller waits. A
/// word names its exchange by one of two values in turn, because the next word of either kind is
/// written only after this one was seen. A captured graph with fixed values may therefore be
/// replayed if it holds an even number of exchanges.

#include <memory>
#include <onehop/context.hpp>
#include <optional>
#include <vector>

#include "device/driver/queue.hpp"
#include "device/driver/stream_words.hpp"
#include "rma/device_channels.hpp"
#include "transport/device/row_packing.hpp"
#include "transport/device/stream_link.hpp"

namespace onehop {

class stream_endpoint final : public device_endpoint {
 public:
  /// A part is what this rank contributes to the chain.
  struct part {
    std::vector<local_view> sources;
    std::vector<row_packing> packings;
    std::vector<std::byte*> windows;  ///< where each put goes, an address
    std::vector<int> targets, origins;
    std::vector<ipc_link> opened;             ///< keep the windows
    device::driver::context owner = nullptr;  ///< null where it has no part
    stream_link link;
  };

  /// The constructor throws resource_error if the driver fails.
  stream_endpoint(const context& ctx, part mine);
  /// The destructor waits until streams no longer use memory of the chain, but not beyond the
  /// deadline.
  ~stream_endpoint() override;

  bool on_device() const noexcept override { return mine_.owner != nullptr; }
  void follow(void* stream) override;
  bool has_come(std::size_t) const override { return true; }
  bool on_stream() const noexcept override { return true; }
  void completed() override;
  bool stream_passed() override;
  std::vector<std::pair<int, std::string>> waited_for() override;
  void release() noexcept override;

  bool start(std::uint64_t exchange) override;
  bool fired(std::size_t, std::uint64_t) const override { return true; }
  bool arrived(std::size_t arrival, std::uint64_t exchange) override;
  std::uint64_t last_arrived(std::size_t) const override { return exchange_; }
  /// This is never called, because streams wait for no put of variable size.
  std::size_t arrived_bytes(std::size_t, std::uint64_t) const override { return 0; }
  bool source_free(std::size_t put, std::uint64_t exchange) override;
  std::byte* packing_memory(std::size_t, std::uint64_t) override { return nullptr; }
  bool direct(std::size_t) const override { return false; }
  std::string describe(std::size_t put) const override;

 private:
  /// A device_side holds what this rank needs of its device.
  struct device_side {
    explicit device_side(device::driver::context owner)
        : words(owner), begun(owner), sent(owner), passed(owner), out(owner) {}

    device::stream_words words;
    device::marker begun, sent, passed;
    device::queue out;
  };

  bool is_recorded() const;

  context ctx_;
  part mine_;
  std::optional<device_side> device_;
  device::driver::stream stream_ = nullptr;  ///< stream of the caller
  std::uint64_t exchange_ = 0;
  std::vector<bool> awaited_;          ///< by arrival, whether the caller's stream waits for it in
                                       ///< this exchange
  bool joined_ = true;                 ///< the caller's stream waits for the puts of this exchange
  bool sends_ = false, ends_ = false;  ///< the markers `sent` and `passed` were set, outside of
                                       ///< captures
};

}  // namespace onehop
