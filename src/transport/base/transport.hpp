#pragma once
/// A transport gives rma memory that other ranks reach, and endpoints of chains. It also gives
/// rounds (bootstrap), time (clock) and news of failure (failure). Nothing here blocks: rma owns
/// waiting, deadlines and reports.
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

/// A progress_task is work of a rank that continues whenever the rank waits for anything, so that
/// waits of other ranks do not depend on this rank's calls.
class progress_task {
 public:
  virtual ~progress_task() = default;
  /// Proceeds as far as possible without waiting. Returns false once nothing is left for which
  /// other ranks wait.
  virtual bool progress() = 0;
};

class progress_tasks {
 public:
  /// Runs `task` in every wait from now on, until it says that it is done or it is removed.
  void add(progress_task& task);
  void remove(const progress_task& task) noexcept;
  bool empty() const noexcept { return tasks_.empty(); }
  /// Runs each task once. Does nothing if called from a task that is being run.
  void run();

 private:
  bool running_ = false;
  std::vector<progress_task*> tasks_;
};

/// A partition says how the ranks of a transport are divided into groups, each a smaller job of its
/// own. Everything but `mine` is the same on every rank of the whole.
struct partition {
  static constexpr int none = -1;

  /// For each group this lists its ranks by their numbers in the whole, in the order of the numbers
  /// in the group. Groups share no rank, and a rank may be in none.
  std::vector<std::vector<int>> groups;
  int mine = none;  ///< which group this rank is in

  /// Returns the members of this rank's group; empty if the rank is in no group.
  std::vector<int> members() const {
    return mine == none ? std::vector<int>() : groups[static_cast<std::size_t>(mine)];
  }
  /// Returns the number within this rank's group of a rank of the whole.
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
  /// This is true if more ranks share this machine than it has cores, so that spinning takes time
  /// from the other ranks.
  bool crowded;
};

/// A device_support says what a transport can do with memory of real devices.
struct device_support {
  /// Puts from and to memory of devices are possible on this transport.
  bool takes_memory = true;
  /// Addresses of devices' memory may be passed to expose_existing and, if contiguous, to the puts
  /// of make_endpoint. This may differ from rank to rank.
  bool takes_addresses = false;
  std::string why;  ///< who says so; empty where a user would not expect addresses to be taken
};

/// A memory_id names memory that all ranks have exposed together.
using memory_id = std::uint32_t;

class transport {
 public:
  virtual ~transport();

  int rank() const noexcept { return member_.rank; }
  int size() const noexcept { return member_.size; }
  std::string_view name() const noexcept { return member_.name; }
  bool crowded() const noexcept { return member_.crowded; }
  /// Returns whether this process is a child forked by its rank, and so not a rank itself.
  bool forked() const noexcept { return forks_ != forks_behind_us; }

  bootstrap& rounds() const noexcept { return rounds_; }
  clock& time() const noexcept { return time_; }
  failure& failures() const noexcept { return failure_; }

  /// Exposes `bytes_of_rank[r]` zeroed bytes of each rank r, aligned to pages. Collective. If it
  /// throws resource_error, perhaps on some ranks only, then nothing but the count of ids has
  /// changed there.
  virtual memory_id expose(std::span<const std::size_t> bytes_of_rank) = 0;
  /// Exposes existing memory, `mine` at this rank, which must outlive its use. Collective. Returns
  /// no value on a transport that must choose the addresses itself.
  virtual std::optional<memory_id> expose_existing(std::span<std::byte>) { return std::nullopt; }
  /// Withdraws exposed memory that no rank uses any more. Collective.
  virtual void withdraw(memory_id memory) noexcept = 0;
  virtual std::span<std::byte> local(memory_id memory) const = 0;

  /// Returns how many bytes of exposed memory this rank's endpoint for `plan` needs for itself.
  virtual std::size_t endpoint_bytes(const chain_plan& plan) const = 0;
  /// Makes the endpoint. Collective, but all work is local. All ranks have already exposed `window`
  /// and `own`.
  virtual std::unique_ptr<endpoint> make_endpoint(chain_plan plan, memory_id window,
                                                  memory_id own) = 0;
  /// Collective. Makes what the groups share, and names it with an id like exposed memory. It is
  /// withdrawn in the same way once no rank uses its group any more. All ranks have come to the
  /// same call. May throw as expose does.
  virtual memory_id divide(const partition& how) = 0;
  /// Returns this rank's group as a transport of its own, after every rank has divided. This
  /// transport outlives the group. The group has the same time and sees the failures of the whole,
  /// whatever rank fails.
  virtual std::shared_ptr<transport> join_group(memory_id divided, const partition& how) = 0;

  /// Returns null on a transport that has only one way to move bytes.
  virtual channel_choice* channels() noexcept { return nullptr; }
  virtual device_support devices() const { return {}; }

  /// Returns the number of the node that a rank is on, if the transport knows nodes. Ranks of one
  /// node share its memory.
  virtual std::optional<int> node_of(int) const { return std::nullopt; }

  /// Opens this rank's mail, which this transport outlives. Collective. Returns null if there is
  /// none, as in real time and within groups.
  virtual std::unique_ptr<mail> open_mail() { return nullptr; }
  /// Sets whether rounds take no time from now on. All ranks of a round must agree. In real time
  /// this has no effect.
  virtual void free_rounds(bool) noexcept {}
  /// Returns the size of the shortest message that must wait for a grant of its target
  /// (rendezvous), by the protocols of the machine whose time is computed; no value in real time.
  virtual std::optional<std::uint64_t> least_granted_bytes() const { return std::nullopt; }

  /// Returns the ids of released memory. Each dropped handle adds its id, and the next collective
  /// expose empties the list.
  std::vector<memory_id>& released() noexcept { return released_; }
  /// Counts the put chains of this rank, from 1, so that messages can name them.
  std::uint32_t next_chain() noexcept { return ++chains_; }

  /// Makes this transport the group of `members` within `whole`. `kept` lives as long as this
  /// transport.
  void make_part_of(transport& whole, const std::vector<int>& members, std::shared_ptr<void> kept);
  /// Returns the number of a rank of this transport in the job that was joined.
  int rank_in_job(int rank) const noexcept {
    return in_job_.empty() ? rank : in_job_[static_cast<std::size_t>(rank)];
  }
  bool is_part() const noexcept { return !in_job_.empty(); }

  /// Polls and runs the tasks; waits call this.
  void progress();
  /// A rank has one list of tasks for the job and all of its groups.
  progress_tasks& tasks() noexcept { return *tasks_; }
  /// Returns null if chains with memory of devices are not supported.
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

/// These functions return the transport of the rank that a context stands for, and the transport's
/// parts.
transport& transport_of(const context& ctx) noexcept;
inline bootstrap& bootstrap_of(const context& ctx) noexcept { return transport_of(ctx).rounds(); }
inline clock& clock_of(const context& ctx) noexcept { return transport_of(ctx).time(); }
inline failure& failure_of(const context& ctx) noexcept { return transport_of(ctx).failures(); }

/// These functions forward to channel_choice. On a transport without a choice they do nothing and
/// return nothing.
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
