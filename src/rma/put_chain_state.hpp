#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <onehop/put_chain.hpp>
#include <optional>
#include <vector>

#include "machine/caller.hpp"
#include "rma/chain_description.hpp"
#include "rma/device_channels.hpp"
#include "rma/waiter.hpp"
#include "rma/window_state.hpp"

namespace onehop {

struct put_chain::state final : put_chain::views, private progress_task {
  context ctx;
  window target;
  std::vector<chain_entry> entries;
  std::vector<local_view> sources;
  bool in_turns = false;  ///< the caller reads arrivals before it packs the next puts
  std::vector<int> origins;
  std::vector<std::size_t> variable_arrivals;  ///< arrivals of variable size in a committed chain
  std::vector<std::uint64_t> starts;           ///< starts of the runs of all puts that list them

  std::shared_ptr<exposed_memory> landing;  ///< landing zone; null if puts go to the window
  /// If an arrival comes through the landing zone, its arrival_home says where it belongs in the
  /// window, in odd (1) and even (0) exchanges.
  struct arrival_home {
    std::array<std::byte*, 2> bank;
    std::shared_ptr<const arrival_layout> layout;  ///< null if its bytes lie without gaps
  };
  std::vector<arrival_home> homes;
  /// For each arrival, this says where in the landing zone it lands in odd (1) and even (0)
  /// exchanges.
  std::vector<std::array<const std::byte*, 2>> landed;
  int eager_looks = 1;  ///< looks of a wait before it passes time; more if ranks share no core
  chain_plan plan;
  std::shared_ptr<exposed_memory> memory;
  std::unique_ptr<endpoint> runner;  ///< endpoint of the committed chain; null until commit
  caller_identity owner;             ///< thread that committed
  bool in_part = false;  ///< puts of an exchange that was started in part have not been fired

  /// device_side holds everything that concerns memory of a device.
  struct device_side {
    device_endpoint* endpoint = nullptr;  ///< the runner, if memory of a device is used
    std::optional<void*> stream;          ///< stream that puts follow
    bool wants_stream = false;            ///< the stream is to wait for exchanges
  };
  device_side device;

  state(const context& job, const window& into, const chain_identity& named);
  ~state();
  /// Makes the state of a new chain.
  static std::unique_ptr<state> make(const context& ctx, const window& target);
  /// Makes a state equal to that of this chain before anything was pushed.
  std::unique_ptr<state> described_anew() const;

  /// These functions throw usage_error if the call comes out of order.
  void require_open(std::string_view call) const;
  void require_committed(std::string_view call) const;
  void require_started(std::string_view call) const;
  /// Throws usage_error for a thread or process other than the one that committed.
  void require_owner(std::string_view call) const {
    if (owner != this_caller()) refuse_caller(call);
  }
  /// Returns the index for a name that this description issued; throws usage_error for any other
  /// name.
  std::size_t checked(put_slot slot) const;
  std::size_t checked(notification arrival) const;

  /// These functions report what is wrong with a call that cannot be served.
  [[noreturn]] void refuse_caller(std::string_view call) const;
  [[noreturn]] void refuse_start() const;
  [[noreturn]] void refuse_wait() const;
  [[noreturn]] void refuse_bytes(std::size_t put, std::size_t bytes) const;
  [[noreturn]] void refuse_ready(std::size_t put) const;
  /// Throws usage_error naming the first put that is not ready, if there is any.
  void require_all_ready() const;
  void require_own(std::string_view what, int index, const chain_identity& of,
                   std::string_view giver) const;

  /// Collective: checks the chain against the partners' descriptions and makes the plan. If that
  /// needs the description by everyone, returns it instead of a plan. Throws chain_error on all
  /// ranks.
  chain_description plan_with_partners();
  void find_homes(const chain_description& chain);
  /// Makes the plan of a checked chain whose puts go directly to their windows.
  void make_plan_to_windows(const chain_description& chain);
  /// Makes the plan of a checked chain and the memory that the puts go to.
  void make_plan(const chain_description& chain);
  const exposed_memory& destination() const {
    return landing ? *landing : *target.shared()->memory;
  }
  /// Collective: completes the commit of a chain that begins or ends in a device's memory.
  void commit_on_devices(chain_description chain);
  void follow_stream();
  /// Throws usage_error for managed memory in a chain that is to follow a stream.
  void refuse_managed(std::string_view what, const std::byte* data) const;
  void refuse_managed() const;
  /// Makes the host wait for what the device's stream waits for.
  void await_stream();
  /// Finds where arrivals are read, once the plan exists.
  void find_ghosts();
  /// Finds where packed puts are written, and where arrivals outside the window are read, once
  /// there is an endpoint.
  void find_packings();
  bool here(std::size_t arrival);
  /// Notes how many bytes a visible arrival has brought.
  void measure(std::size_t arrival) {
    ghosts[arrival].bytes = runner->arrived_bytes(arrival, exchange);
  }
  /// Copies an arrival from the landing zone to the window.
  void bring_home(std::size_t arrival) const;
  bool complete();
  /// Returns once one of these arrivals is visible. Throws usage_error naming `call` if the list is
  /// empty or a name is not one of this chain.
  void await_one_of(std::string_view call, std::span<const notification> arrivals);
  bool here(notification arrival) { return here(static_cast<std::size_t>(arrival.index)); }
  bool is_held(std::size_t put) const noexcept {
    return in_part && plan.held->has(static_cast<int>(put));
  }
  /// Begins an exchange while all of its puts are held back.
  void start_held();
  void release(std::size_t put);
  /// Fires the puts that are ready and now have room.
  bool progress() override;
  /// These functions wait for what start and wait did not find done.
  void await_start();
  void await_all();
  /// These functions do the work of start and wait while a timeline is recorded. They are separate,
  /// so that start and wait stay short.
  void start_recorded(trace& recorder);
  void wait_recorded(trace& recorder);
  wait_report unfired() const;
  wait_report absent() const;
};

}  // namespace onehop
