#pragma once
/// Which of a machine's protocols and paths a put or a collective takes.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "netsim/machine_description.hpp"
#include "netsim/message.hpp"
#include "rma/protocol.hpp"
#include "rma/staged_schedule.hpp"

namespace onehop::virtual_machine {

using netsim::picoseconds;

/// How puts of some size are carried. The control paths are -1 where there is no such message.
struct route {
  std::string name;
  protocol how;
  std::uint64_t least_bytes, most_bytes;
  netsim::shape rows;
  int path, request, grant, notice;
};

/// What a rank does in a collective.
struct collective_plan {
  std::string how;  ///< in words
  step_list steps;
  bool by_hosts = false;  ///< messages go between the hosts, whatever memory the data lie in
  picoseconds entry = 0;  ///< before the first step
};

class routes {
 public:
  static constexpr std::uint64_t word_bytes = 8;

  /// Of messages from one kind of memory to another, by the protocols called `variant`. Throws
  /// usage_error when the machine has none.
  routes(const netsim::machine_description& machine, netsim::memory from, netsim::memory to,
         std::string_view variant);

  /// Throws usage_error when no protocol is for so many bytes.
  const route& put_of(std::size_t bytes, std::size_t rows) const;
  std::string describe(const route& way) const;

  netsim::message data(int origin, int target, const route& way, std::size_t bytes) const;
  /// A word on a control path.
  netsim::message word(int origin, int target, int path) const;

  /// What `rank` does in a collective to which each brings `bytes`, to each rank in an alltoall.
  collective_plan plan_of(collective what, int ranks, int rank, std::size_t bytes,
                          int root = 0) const;
  /// The same for an alltoall that asks to be staged. Throws usage_error when the machine cannot
  /// copy to the host and back.
  collective_plan staged_alltoall_plan(int ranks, int rank, std::size_t bytes) const;
  /// Of a message of a collective; 0 bytes go as a word.
  const route& collective_way(bool by_hosts, std::size_t bytes) const {
    return bytes == 0 ? word_ : fitting(by_hosts ? staging_ : puts_, bytes, 1);
  }
  /// A copy within the node of `rank`.
  netsim::message copy(int rank, schedule_step::copy direction, std::size_t bytes) const;
  picoseconds collective_step() const noexcept { return step_; }
  picoseconds reduction(std::size_t bytes) const noexcept { return reduce_(bytes); }

 private:
  std::uint32_t node_of(int rank) const {
    const auto number = static_cast<std::size_t>(rank);
    return number < places_.size() ? places_[number] : static_cast<std::uint32_t>(rank);
  }

  void take_software(const netsim::machine_description& machine,
                     const netsim::collective_software& each);
  void take_algorithm(const netsim::collective_algorithm& each);
  struct choice;
  const choice& choice_of(collective what, std::uint64_t bytes) const;
  const route& fitting(const std::deque<route>& ways, std::size_t bytes, std::size_t rows) const;

  std::deque<route> puts_;
  std::deque<route> staging_;  ///< between hosts, of collectives that are copied there
  std::vector<std::uint32_t> places_;
  route word_;  ///< by itself, without a protocol
  std::string variant_, machine_;
  bool of_device_;
  struct choice {
    collective what;
    std::uint64_t most_bytes;  ///< of what a rank has at the end
    schedule_kind kind;
    tree shape;
    staging how = staging::none;
    int copies_out = 1;
  };
  std::vector<choice> choices_;  ///< the first that fits
  bool is_staged_ = false;
  std::size_t staging_block_ = 0, short_copy_ = 0;
  std::int32_t copy_out_ = -1, copy_in_ = -1, short_out_ = -1, short_in_ = -1;
  picoseconds entry_ = 0, step_ = 0;
  netsim::pace reduce_;
};

}  // namespace onehop::virtual_machine
