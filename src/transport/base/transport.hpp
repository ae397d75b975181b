#pragma once
/// What a transport offers to rma. Nothing here blocks: rma owns waiting, deadlines and reports.
///
/// Calls marked collective are made by every rank in the same order with the same arguments.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <onehop/error.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/caller.hpp"
#include "transport/base/chain_plan.hpp"
#include "transport/base/driven.hpp"
#include "transport/base/endpoint.hpp"

namespace onehop {

class context;
namespace gpu {
class peer_cache;
}  // namespace gpu

/// What a kernel does, for machines whose time is computed.
struct kernel_cost {
  double flops = 0, bytes = 0;
  int launches = 1;
};

/// Of a round without bytes, post to last posting.
struct round_time {
  double ns;
  std::uint64_t ticks;  ///< of this rank's counter, machine/ticks.hpp
};

/// Whether a transport takes addresses of devices' memory itself, and who says so.
struct address_answer {
  bool taken = false;
  std::string why;  ///< empty where nobody would think so
};

/// Names memory that all ranks exposed together.
using memory_id = std::uint32_t;

/// What a rank has of its job: memory that others reach, rounds, time and news of failure.
class transport {
 public:
  using clock = std::chrono::steady_clock;

  virtual ~transport();

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  virtual std::string_view name() const noexcept = 0;
  /// This process is a child that its rank has forked, and no rank itself.
  bool forked() const noexcept { return forks_ != forks_behind_us; }
  /// More ranks share this machine than it has cores, so that spinning takes time from the others.
  virtual bool crowded() const noexcept = 0;

  /// One rank's contribution to a round; `data` is null until it is in.
  struct posting {
    std::uint64_t tag = 0;
    const std::byte* data = nullptr;
  };
  /// Longest message of a round.
  virtual std::size_t round_bytes() const noexcept = 0;
  /// Collective. Enters the next round with a message for every other rank. The messages of the
  /// round before must all have been seen; they stay readable until the post after this one.
  virtual void post(std::uint64_t tag, std::span<const std::byte> message) = 0;
  /// What another rank posted to the round that this rank entered last. Acquires.
  virtual posting posted(int rank) = 0;

  /// Collective. Begins to sum these values over all ranks, in any order, where that can be quicker
  /// than a round; false, the same on all ranks, where it cannot.
  virtual bool begin_sum(std::span<const double>) { return false; }
  /// The sum that has begun, once it is there; empty before.
  virtual std::span<const double> finished_sum() { return {}; }

  /// Collective. Exposes `bytes_of_rank[r]` zeroed bytes of each rank r; page aligned. May throw
  /// resource_error on some ranks only and has then changed nothing there but the count of ids.
  virtual memory_id expose(std::span<const std::size_t> bytes_of_rank) = 0;
  /// Collective. The same for memory that exists, `mine` at this rank, which must outlive its use.
  /// No value on a transport that has to choose the place.
  virtual std::optional<memory_id> expose_existing(std::span<std::byte>) { return std::nullopt; }
  /// Collective. Takes the memory back; no rank uses it any more.
  virtual void withdraw(memory_id memory) noexcept = 0;
  virtual std::span<std::byte> local(memory_id memory) const = 0;
  /// Forms a list of ids, filled by handles that go and emptied by the next collective expose.
  std::vector<memory_id>& released() noexcept { return released_; }

  /// Counts the put chains of this rank, from 1, so that messages can name them.
  std::uint32_t next_chain() noexcept { return ++chains_; }

  /// Bytes of exposed memory that this rank's endpoint for `plan` wants for itself.
  virtual std::size_t endpoint_bytes(const chain_plan& plan) const = 0;
  /// Collective. Local work only; `window` and `own` have been exposed by all.
  virtual std::unique_ptr<endpoint> make_endpoint(chain_plan plan, memory_id window,
                                                  memory_id own) = 0;

  /// How endpoints made from now on move their bytes, in the words of ONEHOP_CHANNELS. For
  /// transports that have a choice.
  virtual void set_channels(std::string_view) {}
  /// In the same words; empty for transports without a choice.
  virtual std::string channels() const { return {}; }
  /// Who or what chose them, in a few words.
  virtual std::string channels_why() const { return {}; }

  /// False where this transport wants to know, at the first commit or sum of a job, how long a
  /// round takes. The same on all ranks.
  virtual bool settled() const noexcept { return true; }
  /// Collective, with the same round on all ranks as far as ns are concerned.
  virtual void settle(const round_time&) {}

  /// Puts from and to memory of real devices make sense on this transport.
  virtual bool takes_devices() const noexcept { return true; }
  /// Addresses of their memory may be given to expose_existing and, in one piece, to the puts of
  /// make_endpoint. May differ from rank to rank.
  virtual address_answer device_addresses() const { return {}; }

  /// Drives transfers and throws peer_error when a rank gave up. Cheap: called in every turn of
  /// every wait.
  virtual void poll() = 0;
  /// What waits call: polls, and drives what carry was given.
  void turn() {
    poll();
    if (!carried_.empty()) [[unlikely]]
      drive_all();
  }
  /// `work` is driven from now on, until it says that it is done or is dropped.
  void carry(driven& work);
  void drop(const driven& work) noexcept;
  /// Memory of other processes' devices that this rank has opened.
  gpu::peer_cache& peer_devices();

  /// The time that deadlines are measured in.
  virtual clock::time_point now() const noexcept { return clock::now(); }
  /// Passes some time in turn `turn` (from 0) of a wait, not beyond `until`, and may come back at
  /// any moment before. True once that moment is known to have come. As it stands it spins briefly,
  /// then yields, then sleeps.
  virtual bool idle(int turn, clock::time_point until);
  /// How long a wait that has lasted for `waited` goes on before it looks for who left or died: the
  /// others hear of a death within two seconds.
  virtual clock::duration look_interval(clock::duration waited) const noexcept;
  /// This rank's processor or device has done such work: on a virtual machine the time passes that
  /// it takes there, elsewhere it has passed already.
  virtual void work(const kernel_cost&) {}
  /// Throws peer_error when a rank died without a word. Slow: called at each look.
  virtual void probe() = 0;
  /// A wait was in vain: at its end this rank must not wait for the others for ever.
  virtual void doubt() noexcept {}
  /// The rank left the job in good order; all that it ever sent is visible after this said so.
  virtual bool left(int rank) const noexcept = 0;
  /// Makes poll throw on every rank, with this rank's reason. The first reason of a job stays.
  virtual void abandon(std::string_view reason) noexcept = 0;
  /// After abandon: the reason that stays is this rank's. Where a launcher asks the ranks for their
  /// reasons and chooses one, each may say so.
  virtual bool failed_first() const noexcept { return true; }

 private:
  void drive_all();

  std::uint32_t forks_ = forks_behind_us;
  std::vector<memory_id> released_;
  std::vector<driven*> carried_;
  std::shared_ptr<gpu::peer_cache> peer_devices_;
  std::uint32_t chains_ = 0;
};

/// The transport that a context is a rank's handle on.
transport& transport_of(const context& ctx) noexcept;

}  // namespace onehop
