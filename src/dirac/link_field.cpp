#include "dirac/link_field.hpp"

#include "dirac/compressed_link.hpp"

#include <onehop/collectives.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace onehop {
namespace {

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
      // A NaN is kept.
      if (!(distance <= largest) && !std::isnan(largest)) largest = distance;
    }
  }
  return largest;
}

link_field::link_field(const lane_layout& layout, const hop_links& links, int distance, dslash kind,
                       bool antiperiodic, field_precision format, int recon)
    : format_(format),
      recon_(recon),
      lanes_(layout.lanes()),
      block_bytes_(static_cast<std::size_t>(lanes_) * recon *
                   (format == field_precision::half ? 2 : arithmetic_bytes(format))),
      hop_links_(8 * static_cast<std::size_t>(layout.vectors(0))),
      scale_(format == field_precision::half ? fixed_scale(links, distance) : 1.0),
      blocks_(8 * vectors_of(layout) * block_bytes_) {
  const geometry& geometry = links.geometry();
  std::vector<colour_matrix> lane_links(lanes_);
  std::vector<double> signs(lanes_);
  for (int parity = 0; parity < 2; ++parity) {
    for (std::int32_t vector = 0; vector < layout.vectors(parity); ++vector) {
      for (const int direction : direction_at) {
        const int mu = direction % 4;
        const bool backward = direction >= 4;
        for (int lane = 0; lane < lanes_; ++lane) {
          coordinate site = layout.site(parity, vector, lane);
          lane_links[lane] = links.link(mu, site, backward, distance);
          if (backward) site[mu] -= distance;
          signs[lane] = hop_sign(geometry, kind, antiperiodic, mu, distance, site);
        }
        write_block(sign_of_.size(), lane_links, signs);
        sign_of_.push_back(sign_number(signs));
      }
    }
  }
  for (const std::vector<double>& list : sign_lists_) {
    aligned_memory& memory = sign_memory_.emplace_back(lanes_ * sizeof(double));
    for (int lane = 0; lane < lanes_; ++lane) {
      if (format == field_precision::double_) {
        memory.doubles()[lane] = list[lane];
      } else {
        reinterpret_cast<float*>(memory.data())[lane] = static_cast<float>(list[lane]);
      }
    }
    sign_pointers_.push_back(memory.data());
  }
}

std::uint8_t link_field::sign_number(const std::vector<double>& signs) {
  const auto found = std::ranges::find(sign_lists_, signs);
  const auto number = static_cast<std::uint8_t>(found - sign_lists_.begin());
  if (found == sign_lists_.end()) sign_lists_.push_back(signs);
  return number;
}

void link_field::write_block(std::size_t block, const std::vector<colour_matrix>& links,
                             const std::vector<double>& signs) {
  std::byte* out = blocks_.data() + block * block_bytes_;
  for (int lane = 0; lane < lanes_; ++lane) {
    const std::array<double, 18> reals = compressed(links[lane], signs[lane], recon_);
    for (int k = 0; k < recon_; ++k) {
      const int at = k * lanes_ + lane;
      switch (format_) {
        case field_precision::double_:
          reinterpret_cast<double*>(out)[at] = reals[k];
          break;
        case field_precision::single:
          reinterpret_cast<float*>(out)[at] = static_cast<float>(reals[k]);
          break;
        case field_precision::half:
          reinterpret_cast<std::int16_t*>(out)[at] =
              static_cast<std::int16_t>(std::lrint(reals[k] / scale_ * fixed_one));
          break;
      }
    }
  }
}

link_view link_field::view(int parity) const noexcept {
  const std::size_t before = parity == 0 ? 0 : hop_links_;
  return {blocks_.data() + before * block_bytes_,
          block_bytes_,
          recon_,
          format_ == field_precision::half,
          scale_,
          sign_of_.data() + before,
          sign_pointers_.data()};
}

}  // namespace onehop
