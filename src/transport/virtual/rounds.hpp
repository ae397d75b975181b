#pragma once
/// The rounds in which all ranks of a virtual machine or of a group talk: what each says reaches
/// the others when the messages of the collective that the round belongs to have gone their ways.

#include <cstdint>
#include <vector>

#include "netsim/workload/collective_walk.hpp"
#include "transport/virtual/round_record.hpp"

namespace onehop::virtual_machine {

class scheduler;

class rounds final : public netsim::walk_listener {
 public:
  /// Rank r of these rounds is rank `members[r]` of the machine.
  rounds(const round_table& table, const std::vector<int>& members, netsim::dispatcher& messages,
         scheduler& progress, const netsim::routes& ways)
      : progress_(progress),
        ways_(ways),
        members_(members),
        walks_(members, messages, ways, *this),
        table_(table) {}

  /// Enters the round that the rank's record says.
  void enter(int rank);
  void through(int rank, std::uint64_t round) override;

 private:
  int size() const { return static_cast<int>(members_.size()); }
  round_common& note(int rank, const round_part& mine);
  void enter_free(std::uint64_t round, const round_common& all);
  void begin_broadcast(int rank, round_part& mine);
  void begin(int rank, round_part& mine);

  scheduler& progress_;
  const netsim::routes& ways_;
  std::vector<int> members_;
  netsim::collective_walks walks_;
  round_table table_;
};

}  // namespace onehop::virtual_machine
