#pragma once
/// The rounds in which all ranks of a virtual machine talk: what each says reaches the others when
/// the messages of the collective that the round belongs to have gone their ways.

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rma/round_tag.hpp"
#include "transport/base/transport.hpp"
#include "transport/virtual/carrier.hpp"
#include "transport/virtual/messages.hpp"
#include "transport/virtual/routes.hpp"

namespace onehop::virtual_machine {

class director;

class rounds final : public addressee, public recipient {
 public:
  rounds(int ranks, post_office& post, director& progress, const routes& ways)
      : post_(post),
        progress_(progress),
        ways_(ways),
        carrier_(post, ways, *this),
        ranks_(static_cast<std::size_t>(ranks)) {}

  void enter(int rank, std::uint64_t tag, std::span<const std::byte> message);
  /// What `other` said in the round that `rank` entered last, once it has come there.
  onehop::transport::posting seen(int rank, int other) const;

  /// What goes without a handshake has been copied, so nobody waits for its source; with one the
  /// origin stays in the round until its data have gone.
  void left(std::uint64_t key) override;
  void came(std::uint64_t key) override;

  void source_free(std::uint32_t) override {}
  void delivered(std::uint32_t what) override;
  void reminded(std::uint32_t what) override;

 private:
  enum class phase { software, send, hear, sum, copies, done };
  /// Messages of a round with another rank.
  struct counts {
    std::uint32_t sent = 0, expected = 0, heard = 0;
  };
  /// Steps that follow each other.
  struct lane {
    phase at = phase::done;
    step_list steps;
    std::size_t next = 0;
    std::size_t expected = 0;  ///< steps before this one whose messages are expected
    std::uint32_t copies = 0;  ///< to and from the host, under way
  };
  /// One rank in one round.
  struct part {
    std::uint64_t round = 0, tag = 0;
    std::vector<std::byte> said;
    bool waits_for_root = false, is_over = true;
    bool by_hosts = false;     ///< messages go between the hosts
    std::uint32_t unread = 0;  ///< sends whose data have not gone
    std::array<lane, 2> lanes;
    std::unordered_map<int, counts> with;
  };
  /// What all ranks have in common in a round.
  struct common {
    std::uint64_t round = 0, tag = 0;
    int entered = 0;
    int root = -1;          ///< of a broadcast: the only rank that says something
    bool disputed = false;  ///< ranks are in different operations; each is to see so
  };
  struct member {
    std::uint64_t round = 0;
    std::array<part, 2> parts;  ///< of odd and even rounds
  };

  member& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const member& at(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  int size() const { return static_cast<int>(ranks_.size()); }
  common& note(int rank, std::uint64_t round, std::uint64_t tag, bool speaks);
  void begin_broadcast(int rank, part& mine);
  void begin(int rank, part& mine);
  void go_on(int rank, part& mine, lane& now);
  bool step(int rank, part& mine, lane& now);
  void end(int rank, part& mine, lane& now);
  void leave_if_over(int rank, part& mine);
  void wake(int rank, part& mine);
  void copy(int rank, part& mine, lane& now);
  bool pause(int rank, part& mine, lane& now, picoseconds time, phase then);
  void expect(int rank, part& mine, lane& now);
  void send(int rank, part& mine, const lane& now);
  bool hears(int rank, part& mine, const lane& now);
  static std::uint32_t name(int rank, const part& mine, const lane& now);
  lane& named(std::uint32_t what);

  post_office& post_;
  director& progress_;
  const routes& ways_;
  carrier carrier_;
  std::vector<member> ranks_;
  std::unordered_set<std::uint64_t> arrived_;  ///< messages that no step has heard yet
  std::unordered_set<std::uint64_t> unread_;   ///< sends that a part counts
  std::array<common, 2> rounds_;               ///< the last odd and the last even one
};

}  // namespace onehop::virtual_machine
