#pragma once
/// Discoveries are what ranks tell each other in a level: vertices found, and from where.

#include "graph.hpp"
#include "vertex.hpp"

#include <onehop/put_chain.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace graph_search {

/// The vertex `child` of the rank that is told has the neighbour `parent` in the last level.
struct discovery {
  vertex child, parent;
};

/// Returns for each rank of this one's row how often it can be told of its vertices in an exchange:
/// as often as edges lead to them from this rank's sources, or of each vertex `once`.
std::vector<std::uint64_t> told_along_row(const graph& of, bool once);
/// Returns for each rank of this one's column how many of its vertices have a neighbour among this
/// rank's targets; it is told of each once.
std::vector<std::uint64_t> told_along_column(const graph& of);

/// Every rank of a group has a put of variable size to every other. What it tells is written where
/// the put takes it from, on shm in the target's own memory, and an exchange sends as much as was
/// written.
class discoveries {
 public:
  /// The constructor is collective; `most` says how much each rank of the group can be told in an
  /// exchange. Throws as put_chain::commit does.
  discoveries(const onehop::context& group, const std::vector<std::uint64_t>& most);

  /// Keeps for the next exchange what another rank of the group is to know.
  void tell(int rank, const discovery& found) noexcept {
    *peers_[static_cast<std::size_t>(rank)].next++ = found;
  }

  /// Exchanges what ranks tell each other and calls `take` with what each has told this one;
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
