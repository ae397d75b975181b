#pragma once
/// A staged_endpoint runs a chain that begins or ends in a device's memory, over the transport of
/// the job.
///
/// start makes the device copy its sources, piece by piece, to pinned memory of the host. A stage
/// is started when its pieces are there, and arrivals for a device are copied to it at once. If the
/// device reaches the target's window, it writes there as soon as the target grants it. All this
/// work follows one stream of the caller, and continues in every wait of this rank.

#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "device/driver/host_memory.hpp"
#include "device/driver/queue.hpp"
#include "rma/device_channels.hpp"
#include "rma/exposed_memory.hpp"
#include "transport/base/transport.hpp"
#include "transport/device/ipc_link.hpp"
#include "transport/device/row_packing.hpp"
#include "transport/device/staged_route.hpp"

namespace onehop {

class staged_endpoint final : public device_endpoint, private progress_task {
 public:
  /// A part is what this rank contributes to the chain.
  struct part {
    std::vector<local_view> sources;
    std::vector<row_packing> packings;  ///< packing of each source
    std::vector<std::byte*> homes;  ///< by arrival, its address in a window in a device's memory
    /// This is the context of its device's memory, or null if it has none here.
    device::driver::context owner = nullptr;
    std::shared_ptr<exposed_memory> destination;  ///< what the transport exposes to the puts
    std::size_t bank_stride = 0;  ///< distance of the banks of `destination` at this rank
    std::shared_ptr<const std::vector<std::size_t>> sizes;  ///< bytes that each put sends now
    std::vector<ipc_link> links;                            ///< links to the windows of each rank
    std::string why_host;  ///< why no stream waits, though that was asked for
    std::string
        why_no_address;  ///< why the transport is not given addresses; empty where none would be
  };

  /// Makes the endpoint; collective. Throws resource_error on all ranks if one of them has no
  /// memory for it.
  static std::unique_ptr<staged_endpoint> make(const context& ctx, const staged_route& route,
                                               part mine);
  ~staged_endpoint() override;

  bool on_device() const noexcept override { return mine_.owner != nullptr; }
  bool has_come(std::size_t arrival) const override { return last_arrived(arrival) >= exchange_; }
  void follow(void* stream) override;
  /// Returns the memory whose name marks the exchange on timelines.
  const std::shared_ptr<exposed_memory>& name() const { return stages_.front().own; }

  bool start(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override;
  bool arrived(std::size_t arrival, std::uint64_t exchange) override;
  std::uint64_t last_arrived(std::size_t arrival) const override;
  std::size_t arrived_bytes(std::size_t arrival, std::uint64_t) const override {
    return arrivals_[arrival].bytes;
  }
  bool source_free(std::size_t put, std::uint64_t exchange) override;
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  bool direct(std::size_t put) const override;
  bool streaming(std::size_t put) const override;
  std::string describe(std::size_t put) const override;

 private:
  /// A leg names a put or an arrival by its stage and its index there.
  struct leg {
    std::size_t stage, index;
  };
  struct outgoing {
    carried_put how;
    std::byte* window = nullptr;  ///< address at a target that the device writes itself
    std::size_t grant = 0;        ///< index of its grant among the grants that arrive
    bool written = false;         ///< its copy is enqueued in this exchange
    std::uint64_t sent = 0;       ///< bytes of this exchange, which its notice brings
    std::optional<device::marker> written_at;
    std::byte* staging = nullptr;  ///< copy in the host's memory of a source in a device's
    std::vector<leg> legs;
  };
  struct incoming {
    carried_put how;
    std::byte* home = nullptr;  ///< address of the arrival in a device's memory
    std::vector<leg> legs;
    std::size_t taken = 0;  ///< number of legs that have come in this exchange
    std::size_t bytes = 0;  ///< bytes that they have brought
    std::optional<device::marker> home_at;
  };
  struct stage {
    std::shared_ptr<exposed_memory> own;
    std::unique_ptr<endpoint> runner;
    std::shared_ptr<std::vector<std::size_t>> sizes;  ///< bytes that each of its puts sends now
    std::vector<std::size_t> copies;                  ///< puts of which a piece comes from a device
    std::optional<device::marker> copied;
    std::vector<std::size_t> peers;  ///< puts that the device writes itself
  };
  /// A device_side holds what this rank needs of its device.
  struct device_side {
    explicit device_side(device::driver::context owner) : followed(owner), out(owner), in(owner) {}

    device::marker followed;
    device::queue out, in;
  };

  staged_endpoint(const context& ctx, part mine) : ctx_(ctx), mine_(std::move(mine)) {}
  void add_puts(const staged_route& route);
  std::vector<local_view> sources_of(std::size_t number) const;
  void add_stage(stage_plan planned, std::shared_ptr<exposed_memory> own);
  void add_grants(const staged_route& route);
  void prepare_device();
  void set_sizes();
  void copy_out();
  bool is_ready(const stage& next) const;
  void grant();
  bool last_grants_left() const;
  void write_peers();
  /// Returns where an arrival of this exchange lies in memory of the host.
  const std::byte* landed(const incoming& from) const;
  void take_in(incoming& from);
  std::size_t brought_by(const incoming& from, const leg& one) const;
  bool progress() override;
  const ipc_link& link_to(std::size_t put) const;
  std::string describe_peer(std::size_t put) const;
  std::string describe_way(std::size_t put) const;
  std::string rows_of(std::size_t put) const;

  context ctx_;
  part mine_;
  std::vector<outgoing> puts_;
  std::vector<incoming> arrivals_;
  std::deque<stage> stages_;
  stage grants_;                  ///< the exchange of grants; without a runner where nobody writes
                                  ///< another's window
  std::size_t grants_given_ = 0;  ///< number of grants that this rank gives in each exchange
  std::shared_ptr<exposed_memory> granted_to_;
  std::uint64_t word_ = 0;  ///< what grants send; that they come is all they say
  device::pinned_memory staging_;
  device::pinned_pages landing_;
  std::optional<device_side> device_;  ///< after the memory that its copies use
  std::uint64_t exchange_ = 0;
  std::size_t begun_ = 0, fired_ = 0;  ///< number of stages begun and fired in this exchange
  bool granting_ = false, granted_ = false;
};

}  // namespace onehop
