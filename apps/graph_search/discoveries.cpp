#include "discoveries.hpp"

#include <onehop/collectives.hpp>
#include <onehop/window.hpp>

#include <algorithm>

namespace graph_search {
namespace {

/// A room_table has the room from every rank to every other, by origin * ranks + target.
class room_table {
 public:
  room_table(const std::vector<std::uint64_t>& room, int ranks)
      : room_(room), ranks_(static_cast<std::size_t>(ranks)) {}

  std::size_t bytes(int origin, int target) const {
    return room_[static_cast<std::size_t>(origin) * ranks_ + static_cast<std::size_t>(target)] *
           sizeof(discovery);
  }
  /// Returns where an origin's room begins in the target's window, with a cache line; for origin
  /// `ranks` this is the end of the window.
  std::size_t offset(int origin, int target) const {
    std::size_t sum = 0;
    for (int before = 0; before < origin; ++before) sum += (bytes(before, target) + 63) / 64 * 64;
    return sum;
  }

 private:
  const std::vector<std::uint64_t>& room_;
  std::size_t ranks_;
};

onehop::window window_for(const onehop::context& job, const std::vector<std::uint64_t>& room) {
  return onehop::window::allocate(job, room_table(room, job.size()).offset(job.size(), job.rank()));
}

/// There is room for one discovery at least, since a put has one byte at least.
std::vector<std::uint64_t> room_of(const graph& of, bool once) {
  const auto ranks = static_cast<std::size_t>(of.job().size());
  std::vector<std::uint64_t> room(ranks);
  for (vertex local = 0; local < of.count(); ++local)
    for (const vertex v : of.neighbours(local))
      ++room[static_cast<std::size_t>(of.parts().owner(v))];
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (once)
      room[rank] = std::min<std::uint64_t>(room[rank], of.parts().count(static_cast<int>(rank)));
    room[rank] = std::max<std::uint64_t>(room[rank], 1);
  }
  room[static_cast<std::size_t>(of.job().rank())] = 0;
  return room;
}

}  // namespace

std::vector<std::uint64_t> discoveries::room_of_all(const graph& of, bool once) {
  const auto mine = room_of(of, once);
  std::vector<std::uint64_t> all(mine.size() * mine.size());
  onehop::allgather(of.job(), std::as_bytes(std::span(mine)),
                    std::as_writable_bytes(std::span(all)));
  return all;
}

discoveries::discoveries(const graph& of, bool once)
    : discoveries(of.job(), room_of_all(of, once)) {}

discoveries::discoveries(const onehop::context& job, const std::vector<std::uint64_t>& room)
    : peers_(static_cast<std::size_t>(job.size())), chain_(job, window_for(job, room)) {
  const room_table table(room, job.size());
  const int rank = job.rank(), ranks = job.size();
  // Every rank begins with another target, so that no rank is the first target of all.
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
