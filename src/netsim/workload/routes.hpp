#pragma once
/// Routes say which of a machine's protocols and paths a put or a collective uses.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "netsim/engine/message.hpp"
#include "netsim/machine/machine_description.hpp"
#include "netsim/workload/staged_schedule.hpp"

namespace onehop::netsim {

/// A collective_plan says what a rank does in a collective.
struct collective_plan {
  std::string how;  ///< description of the method in words
  step_list steps;
  bool by_hosts = false;  ///< messages go between hosts, whichever memory holds the data
  picoseconds entry = 0;  ///< time before the first step
  std::int32_t copy_out = -1, copy_in = -1;  ///< paths of copies that are not short
};

/// rank_memory names the memories of the ranks' sources and windows, and the variant of the
/// machine's protocols that they use.
struct rank_memory {
  memory sources = memory::host;
  memory windows = memory::host;
  std::string_view variant = "direct";
};

/// A rank_pair says who sends and who receives.
struct rank_pair {
  int origin = 0, target = 0;
};

class routes {
 public:
  static constexpr std::uint64_t word_bytes = 8;

  /// The routes are for messages from one kind of memory to another, by the protocols named
  /// `variant`. Throws usage_error if the machine has none.
  routes(const machine_description& machine, memory from, memory to, std::string_view variant);
  routes(const machine_description& machine, const rank_memory& where)
      : routes(machine, where.sources, where.windows, where.variant) {}
  /// These are the routes of a job with rank r on node `places[r]`, or on node r if `places` is
  /// empty.
  routes(const machine_description& machine, const rank_memory& where,
         const std::vector<std::uint32_t>& places)
      : routes(machine, where) {
    set_places(places);
  }

  /// Returns the protocol of a put between two ranks. Throws usage_error if no protocol takes
  /// `bytes` bytes.
  const protocol& put_of(std::size_t bytes, std::size_t rows, rank_pair between) const;
  /// Returns the size of the shortest put that waits for a grant of its target, or the largest
  /// number if none does.
  std::uint64_t least_granted_bytes() const;
  std::string describe(const protocol& way) const;

  /// Makes a message from rank to rank on a path of the machine.
  message between(int origin, int target, int path, std::size_t bytes = word_bytes) const;

  /// Returns what `rank` does in a collective to which each rank contributes `bytes` (in an
  /// alltoall, for each rank). Throws usage_error if the machine cannot copy an alltoall of devices
  /// to the host and back.
  collective_plan plan_of(collective what, int ranks, int rank, std::size_t bytes,
                          int root = 0) const;
  /// Returns the protocol for a message of a collective; 0 bytes go as a word.
  const protocol& collective_way(bool by_hosts, std::size_t bytes, rank_pair between) const {
    const std::deque<protocol>& own = summed_.empty() ? puts_ : summed_;
    if (bytes == 0) return are_on_one_node(between) ? word_of_node_ : word_;
    return fitting(by_hosts ? staging_ : own, bytes, 1, between);
  }
  /// Makes a message that copies within the node of `rank`. `path` is the plan's path for copies
  /// that are not short.
  message copy(int rank, schedule_step::copy direction, std::size_t bytes, std::int32_t path) const;
  picoseconds collective_step() const noexcept { return step_; }
  picoseconds reduction(std::size_t bytes) const noexcept { return reduce_(bytes); }
  std::uint32_t node_of(int rank) const {
    const auto number = static_cast<std::size_t>(rank);
    return number < places_.size() ? places_[number] : static_cast<std::uint32_t>(rank);
  }
  /// Returns how many ranks the node of `rank` has.
  std::uint32_t ranks_beside(int rank) const;

 private:
  void set_places(std::vector<std::uint32_t> places);
  void require_rows_of_nodes() const;
  bool are_on_one_node(rank_pair ranks) const {
    return ranks.origin != ranks.target && node_of(ranks.origin) == node_of(ranks.target);
  }
  bool joins(const protocol& way, rank_pair ranks) const;
  std::uint16_t slot_of(int rank) const {
    const auto number = static_cast<std::size_t>(rank);
    return number < slots_.size() ? slots_[number] : std::uint16_t{0};
  }
  void take_software(const machine_description& machine, const collective_software& each);
  void take_algorithm(const collective_algorithm& each);
  struct choice;
  staging staging_of(collective what, const choice& how) const;
  const choice& choice_of(collective what, std::uint64_t bytes) const;
  const protocol& fitting(const std::deque<protocol>& ways, std::size_t bytes, std::size_t rows,
                          rank_pair between) const;

  std::deque<protocol> puts_;
  std::deque<protocol> summed_;  ///< protocols of collectives whose data the hosts have in any case
  std::deque<protocol> staging_;  ///< protocols between hosts, for collectives that are copied to
                                  ///< them
  std::vector<std::uint32_t> places_;
  std::vector<std::uint16_t> slots_;  ///< by rank: how many lower ranks are on its node
  bool shares_nodes_ = false;         ///< some nodes have several ranks
  protocol word_, word_of_node_;      ///< protocols of a single word
  std::string variant_, machine_;
  bool of_device_;
  struct choice {
    collective what;
    std::uint64_t most_bytes;  ///< most bytes a rank has at the end
    schedule_kind kind;
    tree_shape shape;
    staging how = staging::none;
    int copies_out = 1;
    bool awaits_sources = false;
    std::int32_t copy_out = -1, copy_in = -1;
  };
  std::vector<choice> choices_;  ///< choices, of which the first that fits is taken
  bool is_staged_ = false;
  std::size_t staging_block_ = 0, short_copy_ = 0;
  std::int32_t copy_out_ = -1, copy_in_ = -1, short_out_ = -1, short_in_ = -1;
  picoseconds entry_ = 0, step_ = 0;
  pace reduce_;
};

}  // namespace onehop::netsim
