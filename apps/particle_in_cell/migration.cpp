#include "migration.hpp"

#include <onehop/error.hpp>

#include <cstring>
#include <string>

namespace particle_in_cell {

migration::migration(const onehop::cartesian& ranks, const std::array<std::size_t, 3>& most_across)
    : ranks_(ranks) {
  const onehop::context& job = ranks.context();
  for (int mu = 0; mu < ranks.dimensions(); ++mu) {
    if (!ranks.distributed(mu)) continue;
    const auto dimension = static_cast<std::size_t>(mu);
    const std::size_t most = most_across[dimension], bytes = most * sizeof(traveller);
    const int below = ranks.neighbour(mu, -1), above = ranks.neighbour(mu, 1);
    onehop::window window = onehop::window::allocate(job, 2 * bytes);
    onehop::put_chain chain(job, window);
    passage made{dimension, most, std::move(window), std::move(chain), {}, {}};
    made.slots = {made.chain.push(onehop::put::packed_up_to(bytes, below, 0)),
                  made.chain.push(onehop::put::packed_up_to(bytes, above, bytes))};
    made.arrivals = {made.chain.add_origin(above), made.chain.add_origin(below)};
    made.chain.commit();
    passages_.push_back(std::move(made));
  }
}

void migration::cross(passage& of, std::vector<traveller>& travellers) {
  const int extent = ranks_.local()[of.dimension];
  std::array<std::size_t, 2> count{};
  std::array<std::byte*, 2> to{of.chain.target_view(of.slots[0]).data(),
                               of.chain.target_view(of.slots[1]).data()};
  std::size_t kept = 0;
  for (const traveller& each : travellers) {
    const int at = each.cell[of.dimension];
    if (at >= 0 && at < extent) {
      travellers[kept++] = each;
      continue;
    }
    const std::size_t side = at < 0 ? 0 : 1;
    if (count[side] == of.most)
      throw onehop::resource_error("more than " + std::to_string(of.most) +
                                   " particles leave the block of rank " +
                                   std::to_string(ranks_.context().rank()) +
                                   " across one face in a step; use fewer ranks in this dimension");
    traveller leaving = each;
    // Upwards, the cell counts from the end of this block; downwards, from the end of the other
    // block.
    if (side == 1) leaving.cell[of.dimension] -= extent;
    std::memcpy(to[side] + count[side]++ * sizeof(traveller), &leaving, sizeof(traveller));
  }
  travellers.resize(kept);
  for (std::size_t side = 0; side < 2; ++side) {
    of.chain.set_bytes(of.slots[side], count[side] * sizeof(traveller));
    sent_ += count[side];
  }
  of.chain.start();
  of.chain.wait();
  for (std::size_t side = 0; side < 2; ++side) {
    const auto bytes = of.chain.arrived(of.arrivals[side]);
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(traveller)) {
      traveller came;
      std::memcpy(&came, bytes.data() + at, sizeof(traveller));
      if (side == 0) came.cell[of.dimension] += extent;
      travellers.push_back(came);
    }
  }
}

void migration::exchange(std::vector<traveller>& travellers) {
  for (passage& each : passages_) cross(each, travellers);
}

}  // namespace particle_in_cell
