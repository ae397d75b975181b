#include "lattice/lane_layout.hpp"

#include "base/text.hpp"

#include <onehop/error.hpp>

#include <numeric>

namespace onehop {
namespace {

/// Returns the direction to split next, or -1. A split halves the sub-block and must leave it even
/// and as long as hops reach. Directions within the rank come first, since their surface needs no
/// ghost; then x before y before z before t. Vectors are numbered with x fastest, so a vector's
/// neighbours are near it in memory and in time, and a slice of constant t, which must stay in a
/// cache to be read only once, is small.
int next_split(const geometry& geometry, const coordinate& sub_block, int reach) {
  int best = -1;
  for (int mu = 0; mu < 4; ++mu) {
    if (sub_block[mu] % 4 != 0 || sub_block[mu] / 2 < reach) continue;
    if (best < 0 || (geometry.distributed(best) && !geometry.distributed(mu))) best = mu;
  }
  return best;
}

coordinate step(coordinate c, int direction, const coordinate& extents, int distance = 1) {
  const int mu = direction % 4;
  const int extent = extents[mu];
  const int by = distance % extent;
  c[mu] = (c[mu] + (direction < 4 ? by : extent - by)) % extent;
  return c;
}

/// Returns how many sites lie between the site and the edge of the extents in `direction`.
int depth(const coordinate& c, int direction, const coordinate& extents) {
  const int mu = direction % 4;
  return direction < 4 ? extents[mu] - 1 - c[mu] : c[mu];
}

std::size_t index_of(const coordinate& c, const coordinate& extents) {
  return ((static_cast<std::size_t>(c[3]) * extents[2] + c[2]) * extents[1] + c[1]) * extents[0] +
         c[0];
}

coordinate coordinate_of(std::size_t index, const coordinate& extents) {
  coordinate c{};
  for (int mu = 0; mu < 4; ++mu) {
    c[mu] = static_cast<int>(index % extents[mu]);
    index /= extents[mu];
  }
  return c;
}

std::vector<std::uint8_t> edges_of(std::span<const lane_neighbour> neighbours) {
  std::vector<std::uint8_t> result(neighbours.size() / 8);
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    const bool edge = neighbours[k].rotated != 0 || neighbours[k].face >= 0;
    result[k / 8] |= static_cast<std::uint8_t>(edge ? 1U << k % 8 : 0U);
  }
  return result;
}

}  // namespace

int lane_layout::fitting_lanes(const onehop::geometry& geometry, int max_lanes, int reach) {
  coordinate sub_block = geometry.local();
  int lanes = 1;
  while (2 * lanes <= max_lanes) {
    const int mu = next_split(geometry, sub_block, reach);
    if (mu < 0) break;
    sub_block[mu] /= 2;
    lanes *= 2;
  }
  return lanes;
}

lane_layout::lane_layout(const onehop::geometry& geometry, int lanes, int reach)
    : geometry_(geometry), lanes_(lanes), reach_(reach), sub_block_(geometry.local()) {
  for (int mu = 0; mu < 4; ++mu) {
    if (geometry.lattice()[mu] % 2 != 0) {
      throw usage_error(text("lattice ", to_string(geometry.lattice()), " has an odd ", "xyzt"[mu],
                             " extent; even/odd operators need every extent even"));
    }
    if (geometry.distributed(mu) && geometry.local()[mu] < reach) {
      throw usage_error(text("grid ", to_string(geometry.grid()), " leaves ", geometry.local()[mu],
                             " of lattice ", to_string(geometry.lattice()), " in ", "xyzt"[mu],
                             ", and a hop reaches ", reach, " sites; use fewer ranks in ",
                             "xyzt"[mu]));
    }
  }
  for (int left = lanes; left > 1; left /= 2) {
    const int mu = next_split(geometry, sub_block_, reach);
    if (mu < 0) {
      throw usage_error(text("block ", to_string(geometry.local()), " cannot be spread over ",
                             lanes, " lanes; use fitting_lanes"));
    }
    sub_block_[mu] /= 2;
    lane_grid_[mu] *= 2;
  }
  number_vectors();
  for (int mu = 0; mu < 4; ++mu) {
    make_shuffles(mu);
    make_faces(mu);
  }
  for (int parity = 0; parity < 2; ++parity) {
    neighbours_[parity] = connect(parity, 1);
    edges_[parity] = edges_of(neighbours_[parity]);
    if (reach > 1) {
      far_neighbours_[parity] = connect(parity, reach);
      far_edges_[parity] = edges_of(far_neighbours_[parity]);
    }
    for (int d = 0; d < 8; ++d) {
      if (geometry.distributed(d % 4))
        ghost_entries_[1 - parity][d] = entries_before(reach, parity, d);
    }
  }
}

coordinate lane_layout::lane_position(int lane) const { return coordinate_of(lane, lane_grid_); }

std::int32_t lane_layout::vector_at(const coordinate& sub_block_site) const {
  return vector_of_[index_of(sub_block_site, sub_block_)];
}

coordinate lane_layout::site(int parity, std::int32_t vector, int lane) const {
  coordinate site = first_site(parity, vector);
  const coordinate position = lane_position(lane);
  for (int mu = 0; mu < 4; ++mu) site[mu] += position[mu] * sub_block_[mu];
  return site;
}

lane_layout::lane_index lane_layout::locate(const coordinate& local_site) const {
  coordinate inner{};
  coordinate position{};
  for (int mu = 0; mu < 4; ++mu) {
    inner[mu] = local_site[mu] % sub_block_[mu];
    position[mu] = local_site[mu] / sub_block_[mu];
  }
  return {geometry_.parity(local_site), vector_at(inner),
          static_cast<int>(index_of(position, lane_grid_))};
}

void lane_layout::number_vectors() {
  vector_of_.resize(volume(sub_block_));
  for (std::size_t k = 0; k < vector_of_.size(); ++k) {
    const coordinate c = coordinate_of(k, sub_block_);
    auto& sites = sites_[geometry_.parity(c)];
    vector_of_[k] = static_cast<std::int32_t>(sites.size());
    sites.push_back(c);
  }
}

void lane_layout::make_shuffles(int mu) {
  for (const int direction : {mu, mu + 4}) {
    auto& shuffle = shuffles_[direction];
    std::int32_t from_ghost = 0;
    for (int lane = 0; lane < lanes_; ++lane) {
      const coordinate position = lane_position(lane);
      if (geometry_.distributed(mu) && depth(position, direction, lane_grid_) == 0) {
        shuffle.push_back(lanes_ + from_ghost++);
      } else {
        shuffle.push_back(
            static_cast<std::int32_t>(index_of(step(position, direction, lane_grid_), lane_grid_)));
      }
    }
  }
}

void lane_layout::make_faces(int mu) {
  for (const int direction : {mu, mu + 4}) {
    for (int lane = 0; lane < lanes_; ++lane) {
      if (depth(lane_position(lane), direction, lane_grid_) == 0) {
        face_lanes_[direction].push_back(lane);
      }
    }
    // Vectors are numbered with x fastest, so a layer lists its sites in the order of the three
    // other coordinates, on the sender and on the receiver alike.
    for (int parity = 0; parity < 2; ++parity) {
      for (int layer = 0; layer < reach_; ++layer) {
        for (std::int32_t k = 0; k < vectors(parity); ++k) {
          if (depth(first_site(parity, k), direction, sub_block_) == layer) {
            faces_[parity][direction].push_back(k);
          }
        }
      }
    }
  }
}

/// A ghost of layer n is an odd number of sites from the vectors of the opposite parity at depth n
/// % 2.
std::int32_t lane_layout::entries_before(int layer, int parity, int direction) const {
  std::int32_t count = 0;
  for (int l = 0; l < layer; ++l) {
    for (std::int32_t k = 0; k < vectors(parity); ++k) {
      if (depth(first_site(parity, k), direction, sub_block_) == l % 2) ++count;
    }
  }
  return count;
}

std::vector<lane_neighbour> lane_layout::connect(int parity, int distance) const {
  std::array<std::array<std::int32_t, 3>, 8> next{};
  for (int d = 0; d < 8; ++d) {
    for (int layer = 0; layer < reach_; ++layer) {
      next[d][layer] = entries_before(layer, parity, d);
    }
  }
  std::vector<lane_neighbour> result;
  for (std::int32_t k = 0; k < vectors(parity); ++k) {
    const coordinate& here = first_site(parity, k);
    for (int direction = 0; direction < 8; ++direction) {
      const int mu = direction % 4;
      lane_neighbour n{vector_at(step(here, direction, sub_block_, distance))};
      const int layer = distance - 1 - depth(here, direction, sub_block_);
      if (layer >= 0) {
        n.rotated = lane_grid_[mu] > 1 ? 1 : 0;
        if (geometry_.distributed(mu)) n.face = next[direction][layer]++;
        // The vector is not used if all lanes come from the ghost; across an odd extent the wrapped
        // vector would even have the wrong parity.
        if (n.face >= 0 && n.rotated == 0) n.vector = 0;
      }
      result.push_back(n);
    }
  }
  return result;
}

}  // namespace onehop
