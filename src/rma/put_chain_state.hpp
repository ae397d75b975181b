#pragma once
#include <array>
#include <cstdint>
#include <onehop/put_chain.hpp>
#include <optional>
#include <vector>

#include "machine/caller.hpp"
#include "rma/chain_check.hpp"
#include "rma/device_engine.hpp"
#include "rma/stream_link.hpp"
#include "rma/waiter.hpp"
#include "rma/window_state.hpp"

namespace onehop {

struct put_chain::state : put_chain::views {
  context ctx;
  window target;
  std::vector<chain_entry> entries;
  std::vector<local_view> sources;
  std::vector<bool> asked_by_chain;  ///< of each put
  std::vector<int> origins;

  std::shared_ptr<exposed_memory> landing;  ///< of a chain on a registered window
  int eager_looks = 1;  ///< of a wait before it passes time: more where nobody wants the core
  chain_plan plan;
  std::shared_ptr<exposed_memory> memory;
  std::unique_ptr<endpoint> runner;  ///< null until commit
  caller_identity owner;             ///< who committed
  device_runner* devices = nullptr;  ///< the runner, where a device's memory takes part
  std::optional<void*> stream{};     ///< of the device, that puts follow
  bool wants_stream = false;         ///< to wait for exchanges

  /// Of a new chain.
  static std::unique_ptr<state> make(const context& ctx, const window& target);
  /// Of this chain, before anything has been pushed.
  std::unique_ptr<state> described_anew() const;

  /// Throw usage_error when the call comes out of order.
  void require_open(std::string_view call) const;
  void require_committed(std::string_view call) const;
  void require_started(std::string_view call) const;
  /// Throws usage_error for a thread or process other than the one that committed.
  void require_owner(std::string_view call) const {
    if (owner != this_caller()) refuse_caller(call);
  }
  /// The index behind a name that this description gave; throws usage_error for any other.
  std::size_t checked(put_slot slot) const;
  std::size_t checked(notification arrival) const;

  /// Say what is wrong with a call that cannot be served.
  [[noreturn]] void refuse_caller(std::string_view call) const;
  [[noreturn]] void refuse_start() const;
  [[noreturn]] void refuse_wait() const;
  void require_own(std::string_view what, int index, const chain_identity& of,
                   std::string_view giver) const;

  chain_description gather() const;
  /// Makes the plan of a checked chain and the memory that the puts go to.
  void make_plan(const chain_description& chain);
  const exposed_memory& destination() const {
    return landing ? *landing : *target.shared()->memory;
  }
  void pass_on_who_asks();
  /// Collective: the rest of commit for a chain that begins or ends in a device's memory.
  void commit_on_devices(chain_description chain);
  /// Collective. Why the transport is not given addresses of devices' memory; none where it is.
  std::optional<std::string> why_no_addresses(const chain_description& chain) const;
  void commit_by_address(const chain_description& chain, gpu::driver::context device);
  /// The same where streams wait.
  void commit_on_streams(device_engine::part from, stream_link link);
  void take_on(std::unique_ptr<device_runner> made);
  /// Of all memory of devices that this rank has in the chain; null for none. Throws usage_error
  /// for memory of two devices.
  gpu::driver::context device_owner() const;
  void follow_stream();
  /// The host waits for what the stream of the device waits for.
  void await_stream();
  /// Once the plan is made.
  void find_ghosts();
  /// Once there is an endpoint.
  void find_packings();
  bool here(std::size_t arrival);
  bool complete();
  /// Wait for what start and wait have not found done.
  void await_start();
  void await_all();
  /// What start and wait do while a timeline is recorded; apart, so that they stay short.
  void start_recorded(trace& recorder);
  void wait_recorded(trace& recorder);
  wait_report unfired() const;
  wait_report absent() const;
};

}  // namespace onehop
