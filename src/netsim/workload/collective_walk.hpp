#pragma once
/// Ranks go through the steps of their collectives here, message by message; the collectives carry
/// no data.

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "netsim/workload/dispatcher.hpp"
#include "netsim/workload/handshake.hpp"
#include "netsim/workload/routes.hpp"

namespace onehop::netsim {

/// A walk_listener is told when a rank has completed a collective.
class walk_listener {
 public:
  virtual ~walk_listener() = default;
  virtual void through(int rank, std::uint64_t round) = 0;
};

/// collective_walks holds the walks of all ranks. Collectives are numbered by rounds; neighbours
/// may be in two different rounds.
class collective_walks final : public receiver, public recipient {
 public:
  collective_walks(int ranks, dispatcher& messages, const routes& ways, walk_listener& who)
      : dispatcher_(messages),
        ways_(ways),
        who_(who),
        handshakes_(messages, ways, *this),
        walks_(static_cast<std::size_t>(ranks)) {}
  /// These are the walks of a group whose rank r is rank `members[r]` of the machine.
  collective_walks(std::vector<int> members, dispatcher& messages, const routes& ways,
                   walk_listener& who)
      : collective_walks(static_cast<int>(members.size()), messages, ways, who) {
    members_ = std::move(members);
  }

  void begin(int rank, std::uint64_t round, const collective_plan& plan);
  /// Returns how many messages the network carried.
  std::uint64_t messages() const noexcept { return handshakes_.messages(); }

  /// A message without a handshake has been copied, so nothing waits for its source unless its step
  /// says so. With a handshake, the origin stays in the round until its data have left.
  void left(std::uint64_t key) override;
  void came(std::uint64_t key) override;

  void source_free(std::uint32_t) override {}
  void delivered(std::uint32_t name) override;
  void reminded(std::uint32_t name) override;

 private:
  enum class phase { software, send, hear, sum, copies, done };
  /// counts holds the numbers of messages of a round with another rank.
  struct counts {
    std::uint32_t sent = 0, expected = 0, heard = 0;
  };
  /// A step_lane is a list of consecutive steps.
  struct step_lane {
    phase at = phase::done;
    step_list steps;
    std::size_t next = 0;
    std::size_t expected = 0;  ///< number of first steps whose messages have been announced
    std::uint32_t copies = 0;  ///< number of copies to and from the host in progress
  };
  /// A walk is one rank's progress in one round.
  struct walk {
    int rank = 0;
    std::uint64_t round = 0;
    bool by_hosts = false;                     ///< messages go between the hosts
    std::int32_t copy_out = -1, copy_in = -1;  ///< paths of copies to and from the host
    std::uint32_t unread = 0;                  ///< number of sends whose data have not left
    std::array<step_lane, 2> lanes;
    std::unordered_map<int, counts> with;
  };

  int member(int rank) const {
    return members_.empty() ? rank : members_[static_cast<std::size_t>(rank)];
  }
  walk& at(int rank, std::uint64_t round) {
    return walks_[static_cast<std::size_t>(rank)][round % 2];
  }
  void go_on(walk& mine, step_lane& now);
  bool step(walk& mine, step_lane& now);
  void end(walk& mine, step_lane& now);
  void tell_if_through(walk& mine);
  void wake(walk& mine);
  void copy(walk& mine, step_lane& now);
  bool pause(walk& mine, step_lane& now, picoseconds time, phase then);
  void expect(walk& mine, step_lane& now);
  void send(walk& mine, const step_lane& now);
  bool hears(walk& mine, const step_lane& now);
  static std::uint32_t name(const walk& mine, const step_lane& now);

  dispatcher& dispatcher_;
  const routes& ways_;
  walk_listener& who_;
  handshakes handshakes_;
  std::vector<int> members_;                   ///< empty if all ranks take part
  std::vector<std::array<walk, 2>> walks_;     ///< by rank, for even and odd rounds
  std::unordered_set<std::uint64_t> arrived_;  ///< messages that no step has taken yet
  std::unordered_set<std::uint64_t> unread_;   ///< sends counted by a walk
};

/// Returns how long a collective takes on an otherwise idle machine until every rank is done, for
/// the second of two calls, so that page tables are warm. Checks conservation.
picoseconds collective_time(const machine_description& machine, const rank_memory& where,
                            collective what, int ranks, std::size_t bytes);

}  // namespace onehop::netsim
