#pragma once
/// An adversary's transport serves one of the ranks that it runs. These ranks share a job.

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "transport/adversary/progress.hpp"
#include "transport/adversary/region.hpp"
#include "transport/base/transport.hpp"

namespace onehop::adversary {

/// A rank may leave one round open, which is less than elsewhere, and keeps the messages of four.
constexpr int rounds_left_open = 1, rounds_kept = 2 + 2 * rounds_left_open;
constexpr std::size_t in_turns(std::uint64_t round) { return round % rounds_kept; }

/// A board holds what has arrived of one chain at each rank. It is found by the memory id of the
/// chain's own window.
struct board {
  struct side {
    std::uint64_t begun = 0;  ///< the last exchange started
    /// For each arrival this holds the last odd and the last even exchange that has arrived. A put
    /// may overtake the previous one, so a later number says nothing about an earlier exchange.
    std::vector<std::array<std::uint64_t, 2>> arrived;
    std::vector<std::array<std::size_t, 2>> bytes;  ///< bytes that the arrival has brought, by
                                                    ///< parity
    std::vector<std::uint64_t> credit;              ///< by put, the last exchange that the target
                                                    ///< has started
  };
  std::vector<side> sides;
};

/// A job is everything behind the transports of one run, or of a group of its ranks.
struct job {
  job(int ranks, std::uint64_t seed);
  /// This makes the job of a group of some ranks of `whole`, which outlives the group.
  job(job& whole, const std::vector<int>& ranks);

  std::unique_ptr<scheduler> own_progress;  ///< null for a group
  job* whole;                               ///< null for the run itself
  std::vector<int> names;                   ///< by rank, its number in the run
  scheduler& progress;                      ///< scheduler of the run, by the numbers in `names`
  exposed_shares memory;
  std::map<memory_id, board> boards;

  struct message {
    std::uint64_t round = 0, tag = 0, history = 0;
    std::vector<std::byte> data;
  };
  struct member {
    bool departed = false;
    /// The rank was stopped by its deadline. The other ranks have until their own deadlines to
    /// report for whom they wait.
    bool stalled = false;
    int under_way = 0;  ///< number of puts and messages that it sent and
                        ///< that have not arrived
    /// Messages of rounds, by sender.
    std::vector<std::array<message, rounds_kept>> received;
    std::map<memory_id, int> incoming;  ///< number of puts under way into each of its
                                        ///< windows
  };
  std::vector<member> members;
  /// This is the round that a rank claimed or disputed; 0 means none.
  struct said {
    std::uint64_t round = 0;
    int rank = 0;
  };
  said claimed, disputed;
  std::string failure;       ///< empty as long as nothing has failed
  bool broken_rule = false;  ///< the failure is a broken rule, an error of onehop itself
  bool has_stalled = false;
  std::uint64_t calls_since_stall = 0;
  /// Groups live as long as the run, because messages under way refer to them. The key is the
  /// memory id of their division and the first rank.
  std::map<std::pair<memory_id, int>, std::shared_ptr<job>> groups;

  job& run() noexcept { return whole == nullptr ? *this : whole->run(); }
  int name(int rank) const { return names[static_cast<std::size_t>(rank)]; }
  void step(int rank) { progress.step(name(rank)); }
  void wake(int rank) noexcept { progress.wake(name(rank)); }
  member& at(int rank) { return members[static_cast<std::size_t>(rank)]; }
  void fail(std::string why);
  /// Fails the job because a rule of transport/base/transport.hpp was broken: every rank ends with
  /// an error that says so.
  void accuse(const std::string& what);
  /// Schedules an event that `origin` causes at `target`.
  void send(moment delay, int origin, int target, std::function<void()> event);
};

class transport final : public onehop::transport,
                        private bootstrap,
                        private clock,
                        private failure {
 public:
  transport(std::shared_ptr<job> shared, int rank)
      : onehop::transport({rank, static_cast<int>(shared->members.size()), "adversary", true},
                          *this, *this, *this),
        clock(true),
        job_(std::move(shared)),
        rank_(rank) {}
  ~transport() override;

  memory_id expose(std::span<const std::size_t> bytes_of_rank) override;
  void withdraw(memory_id memory) noexcept override;
  std::span<std::byte> local(memory_id memory) const override {
    return job_->memory.share(memory, rank_);
  }

  std::size_t endpoint_bytes(const chain_plan&) const override { return 0; }
  std::unique_ptr<onehop::endpoint> make_endpoint(chain_plan plan, memory_id window,
                                                  memory_id own) override;

  memory_id divide(const partition&) override { return job_->memory.expose(rank_, 0); }
  std::shared_ptr<onehop::transport> join_group(memory_id divided, const partition& how) override;

 private:
  std::size_t round_bytes() const noexcept override {
    return job_->progress.perturbed().round_bytes;
  }
  void post(std::uint64_t tag, std::span<const std::byte> message) override;
  bool reads_in_place() const noexcept override { return true; }
  std::size_t most_left_open(std::size_t) const noexcept override { return rounds_left_open; }
  posting posted(int rank, int before) override;
  bool agrees(int rank, int before) override;
  bool claim_round() override;
  void dispute_round(int before) override {
    job_->disputed = {round_ - static_cast<std::uint64_t>(before), rank_};
  }
  /// Returns whether another rank claimed or disputed an open round and does not agree about it.
  bool differs(const job::said& what);
  /// Returns another rank's message of that round, or null before it has arrived.
  const job::message* received(int rank, int before) const;

  void poll() override;
  clock::time_point now() const noexcept override;
  const char* second() const noexcept override { return "s of virtual time"; }
  bool idle(int turn, clock::time_point until) override;
  clock::duration look_interval(clock::duration waited) const noexcept override;
  void probe() override { poll(); }
  bool left(int rank) const noexcept override;
  void abandon(std::string_view reason) noexcept override;

  std::shared_ptr<job> job_;
  int rank_;
  std::uint64_t round_ = 0;
  std::array<std::uint64_t, rounds_kept> history_{};  ///< that of each round, in turns
  /// For each rank, this holds the rounds whose message was seen, each at its place in turns.
  std::vector<std::array<std::uint64_t, rounds_kept>> seen_;
};

}  // namespace onehop::adversary
