#pragma once
/// The rounds in which all ranks of a virtual machine talk: what each says reaches the others when
/// the messages of the collective that the round belongs to have gone their ways.

#include <array>
#include <cstdint>
#include <vector>

#include "netsim/workload/collective_walk.hpp"
#include "rma/round_tag.hpp"
#include "transport/base/bootstrap.hpp"

namespace onehop::virtual_machine {

class scheduler;

class rounds final : public netsim::walk_listener {
 public:
  rounds(int ranks, netsim::dispatcher& messages, scheduler& progress, const netsim::routes& ways)
      : progress_(progress),
        ways_(ways),
        walks_(ranks, messages, ways, *this),
        ranks_(static_cast<std::size_t>(ranks)) {}

  void enter(int rank, std::uint64_t tag, std::span<const std::byte> message);
  /// What `other` said in the round that `rank` entered last, once it has come there.
  bootstrap::posting seen(int rank, int other) const;

  void through(int rank, std::uint64_t round) override;

 private:
  /// One rank in one round.
  struct part {
    std::uint64_t round = 0, tag = 0;
    std::vector<std::byte> said;
    bool waits_for_root = false, is_over = true;
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

  scheduler& progress_;
  const netsim::routes& ways_;
  netsim::collective_walks walks_;
  std::vector<member> ranks_;
  std::array<common, 2> rounds_;  ///< the last odd and the last even one
};

}  // namespace onehop::virtual_machine
