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
  bool in_turns = false;  ///< the caller reads arrivals before it packs what is next
  std::vector<int> origins;
  std::vector<std::size_t> variable_arrivals;  ///< arrivals of variable size in a committed chain
  std::vector<std::uint64_t> starts;           ///< starts of the runs of all puts that list them

  std::shared_ptr<exposed_memory> landing;  ///< landing zone, null where puts go to the window
  /// An arrival_home says where in the window an arrival belongs that comes by way of the landing
  /// zone, in odd (1) and even (0) exchanges.
  struct arrival_home {
    std::array<std::byte*, 2> bank;
    std::shared_ptr<const arrival_layout> layout;  ///< null where its bytes lie without gaps
  };
  std::vector<arrival_home> homes;
  /// By arrival this says where in the landing zone it lands in odd (1) and even (0) exchanges.
  std::vector<std::array<const std::byte*, 2>> landed;
  int eager_looks = 1;  ///< looks of a wait before it passes time; more where ranks share no core
  chain_plan plan;
  std::shared_ptr<exposed_memory> memory;
  std::unique_ptr<endpoint> runner;  ///< endpoint of the committed chain, null until commit
  caller_identity owner;             ///< thread that committed
  bool in_part = false;  ///< puts of an exchange that was started in part have not been fired

  /// device_side has what concerns memory of a device.
  struct device_side {
    device_endpoint* endpoint = nullptr;  ///< the runner, where memory of a device takes part
    std::optional<void*> stream;          ///< stream that puts follow
    bool wants_stream = false;            ///< the stream is to wait for exchanges
  };
  device_side device;

  state(const context& job, const window& into, const chain_identity& named);
  ~state();
  /// Makes the state of a new chain.
  static std::unique_ptr<state> make(const context& ctx, const window& target);
  /// Makes the state that this chain had before anything was pushed.
  std::unique_ptr<state> described_anew() const;

  /// These throw usage_error when the call comes out of order.
  void require_open(std::string_view call) const;
  void require_committed(std::string_view call) const;
  void require_started(std::string_view call) const;
  /// Throws usage_error for a thread or process other than the one that committed.
  void require_owner(std::string_view call) const {
    if (owner != this_caller()) refuse_caller(call);
  }
  /// Returns the index behind a name that this description gave; throws usage_error for any other.
  std::size_t checked(put_slot slot) const;
  std::size_t checked(notification arrival) const;

  /// These say what is wrong with a call that cannot be served.
  [[noreturn]] void refuse_caller(std::string_view call) const;
  [[noreturn]] void refuse_start() const;
  [[noreturn]] void refuse_wait() const;
  [[noreturn]] void refuse_bytes(std::size_t put, std::size_t bytes) const;
  [[noreturn]] void refuse_ready(std::size_t put) const;
  /// Throws usage_error, naming the first, while puts are yet to be made ready.
  void require_all_ready() const;
  void require_own(std::string_view what, int index, const chain_identity& of,
                   std::string_view giver) const;

  /// Collective: checks the chain against those of the partners, and makes the plan unless it takes
  /// the description by everyone, which is returned then. Throws chain_error on all ranks.
  chain_description plan_with_partners();
  void find_homes(const chain_description& chain);
  /// Makes the plan of a checked chain whose puts go straight to their windows.
  void make_plan_to_windows(const chain_description& chain);
  /// Makes the plan of a checked chain and the memory that the puts go to.
  void make_plan(const chain_description& chain);
  const exposed_memory& destination() const {
    return landing ? *landing : *target.shared()->memory;
  }
  /// Collective: the rest of commit for a chain that begins or ends in a device's memory.
  void commit_on_devices(chain_description chain);
  void follow_stream();
  /// Throws usage_error for managed memory in a chain that is to follow a stream.
  void refuse_managed(std::string_view what, const std::byte* data) const;
  void refuse_managed() const;
  /// Lets the host wait for what the stream of the device waits for.
  void await_stream();
  /// Finds where arrivals are read, once the plan is made.
  void find_ghosts();
  /// Finds where packed puts are written, and where arrivals are read that are not in the window,
  /// once there is an endpoint.
  void find_packings();
  bool here(std::size_t arrival);
  /// Notes how much an arrival that is visible has brought.
  void measure(std::size_t arrival) {
    ghosts[arrival].bytes = runner->arrived_bytes(arrival, exchange);
  }
  /// Copies to the window what has landed.
  void bring_home(std::size_t arrival) const;
  bool complete();
  /// Returns once one of these arrivals is visible. Throws usage_error, naming `call`, for names
  /// that are not this chain's, and for none at all.
  void await_one_of(std::string_view call, std::span<const notification> arrivals);
  bool here(notification arrival) { return here(static_cast<std::size_t>(arrival.index)); }
  bool is_held(std::size_t put) const noexcept {
    return in_part && plan.held->has(static_cast<int>(put));
  }
  /// Begins an exchange with all of its puts held back.
  void start_held();
  void release(std::size_t put);
  /// Fires what is ready and has room by now.
  bool progress() override;
  /// These wait for what start and wait have not found done.
  void await_start();
  void await_all();
  /// These do the work of start and wait while a timeline is recorded; they are apart, so that
  /// start and wait stay short.
  void start_recorded(trace& recorder);
  void wait_recorded(trace& recorder);
  wait_report unfired() const;
  wait_report absent() const;
};

}  // namespace onehop
