#include "discoveries.hpp"

#include <onehop/collectives.hpp>
#include <onehop/window.hpp>

#include <algorithm>

namespace graph_search {

std::vector<std::uint64_t> told_along_row(const graph& of, bool once) {
  const partition& parts = of.parts();
  const auto columns = static_cast<std::size_t>(of.ranks().columns());
  const vertex first = parts.first_target(parts.row(of.job().rank()));
  std::vector<std::uint64_t> most(columns);
  for (vertex source = 0; source < parts.sources(); ++source)
    for (const vertex v : of.neighbours(source)) ++most[(v - first) / parts.block()];
  if (once)
    for (std::uint64_t& each : most) each = std::min<std::uint64_t>(each, parts.block());
  return most;
}

std::vector<std::uint64_t> told_along_column(const graph& of) {
  std::vector<std::uint64_t> most(static_cast<std::size_t>(of.ranks().rows()));
  for_each(of.begins().words(), [&](vertex source) { ++most[source / of.parts().block()]; });
  return most;
}

/// A room_table has the size of the memory for discoveries from every rank to every other, by
/// origin * ranks + target. Each has room for at least one discovery, because a put has at least
/// one byte.
class discoveries::room_table {
 public:
  room_table(const onehop::context& group, std::vector<std::uint64_t> mine)
      : room_(mine.size() * mine.size()), ranks_(mine.size()) {
    for (std::uint64_t& each : mine) each = std::max<std::uint64_t>(each, 1);
    mine[static_cast<std::size_t>(group.rank())] = 0;
    onehop::allgather(group, std::as_bytes(std::span(mine)),
                      std::as_writable_bytes(std::span(room_)));
  }

  std::size_t bytes(int origin, int target) const {
    return room_[static_cast<std::size_t>(origin) * ranks_ + static_cast<std::size_t>(target)] *
           sizeof(discovery);
  }
  /// Returns where an origin's memory begins in the target's window, at the start of a cache line;
  /// for origin `ranks` this is the end of the window.
  std::size_t offset(int origin, int target) const {
    std::size_t sum = 0;
    for (int before = 0; before < origin; ++before) sum += (bytes(before, target) + 63) / 64 * 64;
    return sum;
  }

 private:
  std::vector<std::uint64_t> room_;
  std::size_t ranks_;
};

discoveries::discoveries(const onehop::context& group, const std::vector<std::uint64_t>& most)
    : discoveries(group, room_table(group, most)) {}

discoveries::discoveries(const onehop::context& group, const room_table& table)
    : peers_(static_cast<std::size_t>(group.size())),
      chain_(group, onehop::window::allocate(group, table.offset(group.size(), group.rank()))) {
  const int rank = group.rank(), ranks = group.size();
  // Every rank begins with a different target, so that no target comes first on all ranks.
  for (int distance = 1; distance < ranks; ++distance) {
    const int to = (rank + distance) % ranks, from = (rank + ranks - distance) % ranks;
    peers_[static_cast<std::size_t>(to)].told_them =
        chain_.push(onehop::put::packed_up_to(table.bytes(rank, to), to, table.offset(rank, to)));
    peers_[static_cast<std::size_t>(from)].told_us = chain_.add_origin(from);
  }
  chain_.commit();
  aim();
}

void discoveries::aim() {
  for (peer& to : peers_)
    if (to.told_them.index >= 0)
      to.first = to.next = reinterpret_cast<discovery*>(chain_.target_view(to.told_them).data());
}

void discoveries::carry() {
  for (const peer& to : peers_)
    if (to.told_them.index >= 0)
      chain_.set_bytes(to.told_them,
                       static_cast<std::size_t>(to.next - to.first) * sizeof(discovery));
  chain_.start();
  chain_.wait();
}

std::span<const discovery> discoveries::arrived(const peer& from) const {
  const auto bytes = chain_.arrived(from.told_us);
  return {reinterpret_cast<const discovery*>(bytes.data()), bytes.size() / sizeof(discovery)};
}

}  // namespace graph_search
