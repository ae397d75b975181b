#include "dirac/device/links.hpp"

#include "dirac/compressed_link.hpp"
#include "dirac/device/field.hpp"
#include "dirac/device/pack.hpp"
#include "dirac/link_field.hpp"

#include <cstddef>
#include <vector>

namespace onehop::device {
namespace {

/// Writes a row of 18 reals in device layout on the host.
template <class Stored, int Reals>
void write_row(std::byte* rows, std::int32_t site, const double* reals) {
  arithmetic<Stored> row[Reals];
  for (int k = 0; k < Reals; ++k) {
    row[k] = static_cast<arithmetic<Stored>>(std::is_integral_v<Stored> ? reals[k] * fixed_one
                                                                        : reals[k]);
  }
  store_row<Stored, Reals>(row, rows, site);
}

using row_writer = void (*)(std::byte*, std::int32_t, const double*);

template <class Stored>
row_writer writer_of(int recon) {
  return recon == 18   ? write_row<Stored, 18>
         : recon == 12 ? write_row<Stored, 12>
                       : write_row<Stored, 8>;
}

row_writer choose_writer(field_precision kind, int recon) {
  return kind == field_precision::double_  ? writer_of<double>(recon)
         : kind == field_precision::single ? writer_of<float>(recon)
                                           : writer_of<std::int16_t>(recon);
}

coordinate coordinate_of(const site_place& c) { return {c.at[0], c.at[1], c.at[2], c.at[3]}; }

}  // namespace

links::links(backend& where, stream& on, const site_map& map, const hop_links& of, int distance,
             const hop_settings& how, field_precision kind)
    : kind_(kind), recon_(checked_recon(how, of)) {
  const row_writer write = choose_writer(kind, recon_);
  const double scale = kind == field_precision::half ? fixed_scale(of, distance) : 1.0;
  const std::int32_t sites = map.extent[0] / 2 * map.extent[1] * map.extent[2] * map.extent[3];
  const std::int64_t padded = padded_sites(sites);
  const auto write_link = [&](std::byte* rows, std::int32_t row, const coordinate& x, int mu,
                              bool backward) {
    coordinate from = x;
    if (backward) from[mu] -= distance;
    const double sign = hop_sign(of.geometry(), how.kind, how.antiperiodic, mu, distance, from);
    auto link = compressed(of.link(mu, x, backward, distance), sign, recon_);
    for (double& real : link) real /= scale;
    write(rows, row, link.data());
  };
  std::vector<std::byte> host(bytes(static_cast<std::size_t>(padded) * 8));
  for (int parity = 0; parity < 2; ++parity) {
    for (int mu = 0; mu < 4; ++mu) {
      std::byte* rows = host.data() + bytes(static_cast<std::size_t>(parity * 4 + mu) * padded);
      for (std::int32_t site = 0; site < sites; ++site) {
        write_link(rows, site, coordinate_of(map.place(site, parity)), mu, false);
      }
    }
  }
  rows_ = memory(where, host.size());
  on.copy_in(rows_.data(), host.data(), host.size());
  view_.rows = rows_.data();
  view_.sites = padded;
  view_.scale = static_cast<float>(scale);
  for (int mu = 0; mu < 4; ++mu) {
    if ((map.distributed >> mu & 1U) == 0) continue;
    const std::int32_t entries = padded_sites(distance * map.face_entries[mu]);
    std::vector<std::byte> face(bytes(static_cast<std::size_t>(entries)));
    for (int owner = 0; owner < 2; ++owner) {
      for (std::int32_t site = 0; site < sites; ++site) {
        const site_place c = map.place(site, 1 - owner);
        const neighbour_place behind = map.neighbour(c, mu + 4, distance);
        if (!behind.ghost) continue;
        write_link(face.data(), behind.index, coordinate_of(c), mu, true);
      }
      memory& ghost = ghosts_[mu][owner] = memory(where, face.size());
      on.copy_in(ghost.data(), face.data(), face.size());
      view_.ghosts[mu][owner] = ghost.data();
    }
  }
  on.synchronise();
}

std::size_t links::bytes(std::size_t count) const noexcept {
  return count * recon_ * bytes_of_real(kind_);
}

}  // namespace onehop::device
