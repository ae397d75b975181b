#pragma once
/// Discoveries are what ranks tell each other in a level: the vertices found, each with its parent.

#include "graph.hpp"
#include "vertex.hpp"

#include <onehop/put_chain.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace graph_search {

/// The target rank's vertex `child` has the neighbour `parent` in the last level.
struct discovery {
  vertex child, parent;
};

/// Returns for each rank of this rank's row how many discoveries this rank can tell it in an
/// exchange: one for each edge from this rank's sources to its vertices or, with `once`, one for
/// each such vertex.
std::vector<std::uint64_t> told_along_row(const graph& of, bool once);
/// Returns for each rank of this rank's column how many of its vertices have a neighbour among this
/// rank's targets; it is told of each of them once.
std::vector<std::uint64_t> told_along_column(const graph& of);

/// Every rank of a group has a put of variable size to every other. Discoveries are written
/// directly to the put's source, which on shm is the target's own memory, and an exchange sends as
/// many as were written.
class discoveries {
 public:
  /// The constructor is collective; `most` is the largest number of discoveries that each rank of
  /// the group can be told in an exchange. Throws as put_chain::commit does.
  discoveries(const onehop::context& group, const std::vector<std::uint64_t>& most);

  /// Keeps a discovery that another rank of the group will be told in the next exchange.
  void tell(int rank, const discovery& found) noexcept {
    *peers_[static_cast<std::size_t>(rank)].next++ = found;
  }

  /// Exchanges the discoveries and calls `take` with those that each rank has told this one;
  /// collective.
  template <class Take>
  void exchange(const Take& take) {
    carry();
    for (const peer& from : peers_)
      if (from.told_us.index >= 0) take(arrived(from));
    aim();
  }

 private:
  struct peer {
    onehop::put_slot told_them;
    onehop::notification told_us;  ///< arrival from the peer; this rank's own entry names none
    discovery* first = nullptr;
    discovery* next = nullptr;
  };

  class room_table;
  discoveries(const onehop::context& group, const room_table& table);
  void aim();
  void carry();
  std::span<const discovery> arrived(const peer& from) const;

  std::vector<peer> peers_;  ///< by rank
  onehop::put_chain chain_;
};

}  // namespace graph_search
