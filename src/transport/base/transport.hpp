#pragma once
/// A transport offers to rma memory that others reach and endpoints of chains, beside rounds
/// (bootstrap), time (clock) and news of failure (failure). Nothing here blocks: rma owns waiting,
/// deadlines and reports.
///
/// Calls marked collective are made by every rank in the same order with the same arguments.

#include <algorithm>
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
#include "transport/base/bootstrap.hpp"
#include "transport/base/chain_plan.hpp"
#include "transport/base/channel_choice.hpp"
#include "transport/base/clock.hpp"
#include "transport/base/endpoint.hpp"
#include "transport/base/failure.hpp"
#include "transport/base/mail.hpp"

namespace onehop {

/// A progress_task is work of a rank that goes on whenever the rank waits for anything, so that the
/// other ranks' waits do not depend on calls of this rank.
class progress_task {
 public:
  virtual ~progress_task() = default;
  /// Goes as far as it can without waiting. Returns false once there is nothing left that others
  /// wait for.
  virtual bool progress() = 0;
};

class progress_tasks {
 public:
  /// Lets `task` go on from now on, until it says that it is done or is removed.
  void add(progress_task& task);
  void remove(const progress_task& task) noexcept;
  bool empty() const noexcept { return tasks_.empty(); }
  /// Runs each once; does nothing where a task that is being run calls it.
  void run();

 private:
  bool running_ = false;
  std::vector<progress_task*> tasks_;
};

/// A partition says how the ranks of a transport are divided into groups, each a smaller job of its
/// own. All but `mine` is the same on every rank of the whole.
struct partition {
  static constexpr int none = -1;

  /// This has the ranks of the whole in each group, in the order of the group's own numbers. Groups
  /// share no rank, and a rank may be in none.
  std::vector<std::vector<int>> groups;
  int mine = none;  ///< which group this rank is in

  /// Returns the members of this rank's group; empty for a rank in no group.
  std::vector<int> members() const {
    return mine == none ? std::vector<int>() : groups[static_cast<std::size_t>(mine)];
  }
  /// Returns the number of a rank of the whole within this rank's group.
  int number_of(int rank) const {
    const std::vector<int>& all = groups[static_cast<std::size_t>(mine)];
    return static_cast<int>(std::ranges::find(all, rank) - all.begin());
  }
};

class context;
class device_channels;

/// A membership says which rank of which job a transport serves.
struct membership {
  int rank, size;
  std::string name;  ///< name of the transport
  /// This is true where more ranks share this machine than it has cores, so that spinning takes
  /// time from the others.
  bool crowded;
};

/// device_support says what a transport does with memory of real devices.
struct device_support {
  /// Puts from and to memory of devices make sense on this transport.
  bool takes_memory = true;
  /// Addresses of devices' memory may be given to expose_existing and, in one piece, to the puts of
  /// make_endpoint. This may differ from rank to rank.
  bool takes_addresses = false;
  std::string why;  ///< who says so; empty where a user would not expect addresses to be taken
};

/// A memory_id names memory that all ranks exposed together.
using memory_id = std::uint32_t;

class transport {
 public:
  virtual ~transport();

  int rank() const noexcept { return member_.rank; }
  int size() const noexcept { return member_.size; }
  std::string_view name() const noexcept { return member_.name; }
  bool crowded() const noexcept { return member_.crowded; }
  /// Returns whether this process is a child that its rank has forked, and no rank itself.
  bool forked() const noexcept { return forks_ != forks_behind_us; }

  bootstrap& rounds() const noexcept { return rounds_; }
  clock& time() const noexcept { return time_; }
  failure& failures() const noexcept { return failure_; }

  /// Exposes `bytes_of_rank[r]` zeroed bytes of each rank r, aligned to pages. Collective. It may
  /// throw resource_error on some ranks only and has then changed nothing there but the count of
  /// ids.
  virtual memory_id expose(std::span<const std::size_t> bytes_of_rank) = 0;
  /// Exposes memory that exists, `mine` at this rank, which must outlive its use. Collective.
  /// Returns no value on a transport that has to choose the addresses itself.
  virtual std::optional<memory_id> expose_existing(std::span<std::byte>) { return std::nullopt; }
  /// Takes the memory back; no rank uses it any more. Collective.
  virtual void withdraw(memory_id memory) noexcept = 0;
  virtual std::span<std::byte> local(memory_id memory) const = 0;

  /// Returns the bytes of exposed memory that this rank's endpoint for `plan` needs for itself.
  virtual std::size_t endpoint_bytes(const chain_plan& plan) const = 0;
  /// Makes the endpoint; collective, but with local work only. `window` and `own` have been exposed
  /// by all ranks.
  virtual std::unique_ptr<endpoint> make_endpoint(chain_plan plan, memory_id window,
                                                  memory_id own) = 0;
  /// Collective. Makes what the groups share and gives it a name among those of exposed memory; it
  /// is withdrawn as such once no rank uses its group any more. All ranks have come to the same
  /// call. May throw as expose does.
  virtual memory_id divide(const partition& how) = 0;
  /// Every rank has divided. Returns this rank's group as a transport of its own, which this one
  /// outlives: the same time, and the failures of the whole, whatever rank fails.
  virtual std::shared_ptr<transport> join_group(memory_id divided, const partition& how) = 0;

  /// Null on a transport that moves bytes in one way only.
  virtual channel_choice* channels() noexcept { return nullptr; }
  virtual device_support devices() const { return {}; }

  /// Returns the number of the node that a rank is on, where the transport knows nodes: ranks of
  /// one share its memory.
  virtual std::optional<int> node_of(int) const { return std::nullopt; }

  /// Opens this rank's mail, which this transport outlives. Collective. Null where there is none:
  /// in real time, and within groups.
  virtual std::unique_ptr<mail> open_mail() { return nullptr; }
  /// Says whether rounds take no time from now on; all ranks of a round say the same. A transport
  /// in real time has no use for it.
  virtual void free_rounds(bool) noexcept {}
  /// Returns the bytes of the shortest message that waits for a grant of its target, by the
  /// protocols of the machine whose time is computed; no value in real time.
  virtual std::optional<std::uint64_t> least_granted_bytes() const { return std::nullopt; }

  /// Returns the ids of released memory: handles that are dropped add to the list, and the next
  /// collective expose empties it.
  std::vector<memory_id>& released() noexcept { return released_; }
  /// Counts the put chains of this rank, from 1, so that messages can name them.
  std::uint32_t next_chain() noexcept { return ++chains_; }

  /// This transport is the group of `members` within `whole`. `kept` lives as long as this does.
  void make_part_of(transport& whole, const std::vector<int>& members, std::shared_ptr<void> kept);
  /// What the job that was joined calls a rank of this transport.
  int rank_in_job(int rank) const noexcept {
    return in_job_.empty() ? rank : in_job_[static_cast<std::size_t>(rank)];
  }
  bool is_part() const noexcept { return !in_job_.empty(); }

  /// What waits call: polls, and lets tasks go on.
  void progress();
  /// A rank has one list of them, for the job and all of its groups.
  progress_tasks& tasks() noexcept { return *tasks_; }
  /// Null where chains with memory of devices are not served.
  onehop::device_channels* device_channels() const noexcept { return device_channels_.get(); }
  void set_device_channels(std::shared_ptr<onehop::device_channels> channels) noexcept {
    device_channels_ = std::move(channels);
  }

 protected:
  transport(membership member, bootstrap& rounds, clock& time, failure& failures)
      : member_(std::move(member)), rounds_(rounds), time_(time), failure_(failures) {}

 private:
  membership member_;
  bootstrap& rounds_;
  clock& time_;
  failure& failure_;
  std::uint32_t forks_ = forks_behind_us;
  std::vector<int> in_job_;     ///< empty where that is the same
  std::shared_ptr<void> kept_;  ///< goes after all that a transport does at its end
  std::vector<memory_id> released_;
  std::shared_ptr<progress_tasks> tasks_ = std::make_shared<progress_tasks>();
  std::shared_ptr<onehop::device_channels> device_channels_;
  std::uint32_t chains_ = 0;
};

/// These return the transport that a context is a rank's handle on, and its parts.
transport& transport_of(const context& ctx) noexcept;
inline bootstrap& bootstrap_of(const context& ctx) noexcept { return transport_of(ctx).rounds(); }
inline clock& clock_of(const context& ctx) noexcept { return transport_of(ctx).time(); }
inline failure& failure_of(const context& ctx) noexcept { return transport_of(ctx).failures(); }

/// These do what channel_choice does; on a transport without a choice they do nothing and return
/// nothing.
inline void set_channels(const context& ctx, std::string_view words) {
  if (channel_choice* const choice = transport_of(ctx).channels()) choice->set(words);
}
inline std::string channels_of(const context& ctx) {
  const channel_choice* const choice = transport_of(ctx).channels();
  return choice == nullptr ? std::string() : choice->words();
}
inline std::string channels_why(const context& ctx) {
  const channel_choice* const choice = transport_of(ctx).channels();
  return choice == nullptr ? std::string() : choice->why();
}

}  // namespace onehop
