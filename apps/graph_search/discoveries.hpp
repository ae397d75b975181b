#pragma once
/// What ranks tell each other in a level: vertices found, and from where.

#include "graph.hpp"
#include "vertex.hpp"

#include <onehop/put_chain.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace graph_search {

/// `child`, of the rank that is told, has the neighbour `parent` in the last level.
struct discovery {
  vertex child, parent;
};

/// A put of variable size from every rank to every other. What is told is written to where the put
/// takes it from, on shm the target's own memory; an exchange sends of it what there is.
class discoveries {
 public:
  /// Collective. Ranks tell each other of a vertex once in an exchange, or once for each edge to
  /// it: that is how much room there is. Throws as put_chain::commit does.
  discoveries(const graph& of, bool once);

  /// Keeps for the next exchange what another rank is to know.
  void tell(int rank, const discovery& found) noexcept {
    *peers_[static_cast<std::size_t>(rank)].next++ = found;
  }

  /// Collective. Calls `take` with what each rank has told this one.
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
    onehop::notification told_us;  ///< names none at this rank's own place
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
