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

/// Every rank has a put of variable size to every other. What it tells is written where the put
/// takes it from, on shm in the target's own memory, and an exchange sends as much as was written.
class discoveries {
 public:
  /// The constructor is collective. There is room for telling of a vertex once in an exchange, or,
  /// unless `once`, as often as edges lead to it. Throws as put_chain::commit does.
  discoveries(const graph& of, bool once);

  /// Keeps for the next exchange what another rank is to know.
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

  discoveries(const onehop::context& job, const std::vector<std::uint64_t>& room);
  static std::vector<std::uint64_t> room_of_all(const graph& of, bool once);
  void aim();
  void carry();
  std::span<const discovery> arrived(const peer& from) const;

  std::vector<peer> peers_;  ///< by rank
  onehop::put_chain chain_;
};

}  // namespace graph_search
