#pragma once
/// These walk over the sites of a block one after the other, shared among threads.

#include "machine/thread_team.hpp"

#include <onehop/geometry.hpp>
#include <onehop/halo_field.hpp>

namespace onehop::reference {

/// Calls work(first, last) for pieces of 0 .. count - 1, on the threads of `team`, or on this one
/// where there is none. The work must not throw.
template <class Work>
void share_out(thread_team* team, std::size_t count, const Work& work) {
  if (team == nullptr) return work(std::size_t{0}, count);
  team->run([&](int thread) {
    const auto piece = team->share(count, thread);
    work(piece.begin, piece.end);
  });
}

/// A walked_site is a site of the block: its number in canonical fields, and its place in padded
/// ones.
struct walked_site {
  coordinate at;
  std::size_t number, place;
};

/// Calls visit(walked_site) for the sites from number `first` to `last` - 1.
template <class Visit>
[[gnu::always_inline]] inline void walk(const geometry& g, const halo_layout& layout,
                                        std::size_t first, std::size_t last, const Visit& visit) {
  coordinate x = g.local_site(first);
  for (std::size_t number = first; number < last; ++number) {
    visit(walked_site{x, number, layout.index(x)});
    for (int mu = 0; mu < 4 && ++x[mu] == g.local()[mu]; ++mu) x[mu] = 0;
  }
}

/// Calls visit(walked_site) for all sites of the block.
template <class Visit>
void for_each_site(const geometry& g, const halo_layout& layout, thread_team* team,
                   const Visit& visit) {
  share_out(team, g.local_volume(),
            [&](std::size_t first, std::size_t last) { walk(g, layout, first, last, visit); });
}

}  // namespace onehop::reference
