#include "ghost_sum.hpp"

#include <algorithm>
#include <cstring>

namespace particle_in_cell {

ghost_sum::ghost_sum(std::vector<field*> fields) : fields_(std::move(fields)) {
  const onehop::cartesian& ranks = layout().ranks();
  const onehop::context& job = ranks.context();
  for (int mu = 0; mu < ranks.dimensions(); ++mu) {
    if (!ranks.distributed(mu)) continue;
    const std::size_t bytes = slab_bytes(mu, 0);
    const int below = ranks.neighbour(mu, -1), above = ranks.neighbour(mu, 1);
    onehop::window window = onehop::window::allocate(job, 2 * bytes);
    onehop::put_chain chain(job, window);
    passage made{mu, std::move(window), std::move(chain), {}, {}};
    made.slots = {made.chain.push(onehop::put::packed(bytes, below, 0)),
                  made.chain.push(onehop::put::packed(bytes, above, bytes))};
    made.arrivals = {made.chain.add_origin(above), made.chain.add_origin(below)};
    made.chain.commit();
    passages_.push_back(std::move(made));
  }
}

ghost_sum::box ghost_sum::slab(int dimension, int side, bool inside) const {
  const onehop::coordinate& local = layout().ranks().local();
  box of{{}, local};
  for (int mu = dimension; mu < layout().ranks().dimensions(); ++mu) {
    const auto at = static_cast<std::size_t>(mu);
    of.first[at] = -layout().width(mu, 0);
    of.count[at] = local[at] + layout().width(mu, 0) + layout().width(mu, 1);
  }
  const auto at = static_cast<std::size_t>(dimension);
  const int width = layout().width(dimension, side);
  of.count[at] = width;
  if (inside)
    of.first[at] = side == 0 ? local[at] - width : 0;
  else
    of.first[at] = side == 0 ? -width : local[at];
  return of;
}

std::size_t ghost_sum::slab_bytes(int dimension, int side) const {
  return onehop::volume(slab(dimension, side, false).count) * sizeof(quanta) * fields_.size();
}

std::size_t ghost_sum::sent_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const passage& each : passages_)
    bytes += slab_bytes(each.dimension, 0) + slab_bytes(each.dimension, 1);
  return bytes;
}

template <class Work>
void ghost_sum::for_rows(const box& of, const Work& work) const {
  for (int z = 0; z < of.count[2]; ++z)
    for (int y = 0; y < of.count[1]; ++y)
      work(onehop::coordinate{of.first[0], of.first[1] + y, of.first[2] + z, 0});
}

void ghost_sum::pass(passage& of) {
  for (int side = 0; side < 2; ++side) {
    const auto slot = of.slots[static_cast<std::size_t>(side)];
    std::byte* to = of.chain.target_view(slot).data();
    const box from = slab(of.dimension, side, false);
    const std::size_t bytes = static_cast<std::size_t>(from.count[0]) * sizeof(quanta);
    for (field* each : fields_)
      for_rows(from, [&](const onehop::coordinate& row) {
        std::memcpy(to, &(*each)[row], bytes);
        to += bytes;
      });
  }
  of.chain.start();
  of.chain.wait();
  for (int side = 0; side < 2; ++side) {
    const auto arrival = of.arrivals[static_cast<std::size_t>(side)];
    const auto* from = reinterpret_cast<const quanta*>(of.chain.arrived(arrival).data());
    const box to = slab(of.dimension, side, true);
    for (field* each : fields_)
      for_rows(to, [&](const onehop::coordinate& row) {
        quanta* cells = &(*each)[row];
        for (int x = 0; x < to.count[0]; ++x) cells[x] += from[x];
        from += to.count[0];
      });
  }
}

void ghost_sum::wrap(int dimension) {
  for (int side = 0; side < 2; ++side) {
    const box from = slab(dimension, side, false), to = slab(dimension, side, true);
    onehop::coordinate away{};
    for (std::size_t mu = 0; mu < 4; ++mu) away[mu] = to.first[mu] - from.first[mu];
    for (field* each : fields_)
      for_rows(from, [&](onehop::coordinate row) {
        const quanta* ghosts = &(*each)[row];
        for (std::size_t mu = 0; mu < 4; ++mu) row[mu] += away[mu];
        quanta* cells = &(*each)[row];
        for (int x = 0; x < from.count[0]; ++x) cells[x] += ghosts[x];
      });
  }
}

void ghost_sum::sum() {
  auto next = passages_.begin();
  for (int mu = 0; mu < layout().ranks().dimensions(); ++mu) {
    if (layout().ranks().distributed(mu))
      pass(*next++);
    else
      wrap(mu);
  }
}

}  // namespace particle_in_cell
