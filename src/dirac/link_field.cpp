#include "dirac/link_field.hpp"

#include "dirac/compressed_link.hpp"

#include <onehop/collectives.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace onehop {
namespace {

constexpr double fixed_one = 32767.0;

/// A backward link that cannot be read where the neighbour has it.
bool has_own_block(const lane_neighbour& from) { return from.face >= 0 || from.rotated != 0; }

std::size_t count_own_blocks(const lane_layout& layout, int distance) {
  std::size_t count = 0;
  for (int parity = 0; parity < 2; ++parity) {
    const auto neighbours = layout.neighbours(parity, distance);
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      if (k % 8 >= 4 && has_own_block(neighbours[k])) ++count;
    }
  }
  return count;
}

std::size_t vectors_of(const lane_layout& layout) {
  return static_cast<std::size_t>(layout.vectors(0)) + layout.vectors(1);
}

}  // namespace

int staggered_phase(int mu, const coordinate& global) noexcept {
  int sum = 0;
  for (int nu = 0; nu < mu; ++nu) sum += global[nu];
  return sum % 2 == 0 ? 1 : -1;
}

double hop_sign(const geometry& geometry, dslash kind, bool antiperiodic, int mu, int distance,
                const coordinate& x) {
  coordinate global = geometry.global_site(x);
  const int extent = geometry.lattice()[mu];
  global[mu] = ((global[mu] % extent) + extent) % extent;
  const int turns = mu == 3 ? (global[3] + distance) / extent : 0;
  const double boundary = antiperiodic && turns % 2 == 1 ? -1.0 : 1.0;
  return is_staggered(kind) ? boundary * staggered_phase(mu, global) : boundary;
}

double fixed_scale(const hop_links& links, int distance) {
  if (links.reach() == 1) return 1.0;
  const geometry& geometry = links.geometry();
  std::array<double, 1> largest{};
  for (std::size_t k = 0; k < geometry.local_volume(); ++k) {
    for (int mu = 0; mu < 4; ++mu) {
      for (const auto& entry : links.link(mu, geometry.local_site(k), false, distance)) {
        largest[0] = std::max({largest[0], std::abs(entry.real()), std::abs(entry.imag())});
      }
    }
  }
  allreduce_max(geometry.context(), largest);
  return largest[0];
}

double distance_from_su3(const gauge_field& links) {
  double largest = 0;
  const geometry& geometry = links.geometry();
  for (std::size_t k = 0; k < geometry.local_volume(); ++k) {
    for (int mu = 0; mu < 4; ++mu) {
      const double distance = distance_from_su3(links.link(mu, geometry.local_site(k)));
      if (!(distance <= largest)) largest = distance;
    }
  }
  return largest;
}

link_field::link_field(const lane_layout& layout, const hop_links& links, int distance, dslash kind,
                       bool antiperiodic, storage format, int reals)
    : format_(format),
      reals_(reals),
      lanes_(layout.lanes()),
      block_bytes_(static_cast<std::size_t>(lanes_) * reals *
                   (format == storage::fixed16 ? 2 : arithmetic_bytes(format))),
      hop_links_(8 * static_cast<std::size_t>(layout.vectors(0))),
      scale_(format == storage::fixed16 ? fixed_scale(links, distance) : 1.0),
      blocks_((4 * vectors_of(layout) + count_own_blocks(layout, distance)) * block_bytes_) {
  const geometry& geometry = links.geometry();
  const auto own_block = [&](int parity, int mu, std::int32_t vector) {
    const std::size_t before = parity == 0 ? 0 : 4 * static_cast<std::size_t>(layout.vectors(0));
    return static_cast<std::int32_t>(
        before + static_cast<std::size_t>(mu) * layout.vectors(parity) + vector);
  };
  auto next_own = static_cast<std::int32_t>(4 * vectors_of(layout));
  std::vector<colour_matrix> lane_links(lanes_);
  std::vector<double> signs(lanes_);
  for (int parity = 0; parity < 2; ++parity) {
    for (std::int32_t vector = 0; vector < layout.vectors(parity); ++vector) {
      for (int direction = 0; direction < 8; ++direction) {
        const int mu = direction % 4;
        const bool backward = direction >= 4;
        for (int lane = 0; lane < lanes_; ++lane) {
          coordinate site = layout.site(parity, vector, lane);
          lane_links[lane] = links.link(mu, site, backward, distance);
          if (backward) site[mu] -= distance;
          signs[lane] = hop_sign(geometry, kind, antiperiodic, mu, distance, site);
        }
        const lane_neighbour& from =
            layout.neighbours(parity, distance)[static_cast<std::size_t>(vector) * 8 + direction];
        link_place place{own_block(parity, mu, vector), sign_number(signs)};
        if (backward) {
          const bool own = has_own_block(from);
          place.block = own ? next_own++ : own_block(1 - parity, mu, from.vector);
          if (own) write_block(place.block, lane_links, signs);
        } else {
          write_block(place.block, lane_links, signs);
        }
        places_[parity].push_back(place);
      }
    }
  }
  for (const std::vector<double>& list : sign_lists_) {
    aligned_memory& memory = sign_memory_.emplace_back(lanes_ * sizeof(double));
    for (int lane = 0; lane < lanes_; ++lane) {
      if (format == storage::real64) {
        memory.doubles()[lane] = list[lane];
      } else {
        reinterpret_cast<float*>(memory.data())[lane] = static_cast<float>(list[lane]);
      }
    }
    sign_pointers_.push_back(memory.data());
  }
}

std::int32_t link_field::sign_number(const std::vector<double>& signs) {
  const auto found = std::ranges::find(sign_lists_, signs);
  const auto number = static_cast<std::int32_t>(found - sign_lists_.begin());
  if (found == sign_lists_.end()) sign_lists_.push_back(signs);
  return number;
}

void link_field::write_block(std::size_t block, const std::vector<colour_matrix>& links,
                             const std::vector<double>& signs) {
  std::byte* out = blocks_.data() + block * block_bytes_;
  for (int lane = 0; lane < lanes_; ++lane) {
    const std::array<double, 18> reals = compressed(links[lane], signs[lane], reals_);
    for (int k = 0; k < reals_; ++k) {
      const int at = k * lanes_ + lane;
      switch (format_) {
        case storage::real64:
          reinterpret_cast<double*>(out)[at] = reals[k];
          break;
        case storage::real32:
          reinterpret_cast<float*>(out)[at] = static_cast<float>(reals[k]);
          break;
        case storage::fixed16:
          reinterpret_cast<std::int16_t*>(out)[at] =
              static_cast<std::int16_t>(std::lrint(reals[k] / scale_ * fixed_one));
          break;
      }
    }
  }
}

link_view link_field::view(int parity) const noexcept {
  return {blocks_.data(), places_[parity].data(), block_bytes_, reals_, format_ == storage::fixed16,
          scale_,         sign_pointers_.data()};
}

}  // namespace onehop
