#include "dirac/device/links.hpp"

#include "dirac/compressed_link.hpp"
#include "dirac/device/field.hpp"
#include "dirac/device/pack.hpp"

#include <cstddef>
#include <vector>

namespace onehop::device {
namespace {

/// A row of 18 reals in device layout on the host.
template <class Stored, int Reals>
void write_row(std::byte* rows, std::int64_t stride, std::int64_t site, const double* reals) {
  arithmetic<Stored> row[Reals];
  for (int k = 0; k < Reals; ++k) {
    row[k] = static_cast<arithmetic<Stored>>(std::is_integral_v<Stored> ? reals[k] * fixed_one
                                                                        : reals[k]);
  }
  store_row<Stored, Reals>(row, rows, stride, site);
}

using row_writer = void (*)(std::byte*, std::int64_t, std::int64_t, const double*);

template <class Stored>
row_writer writer_of(int reals) {
  return reals == 18   ? write_row<Stored, 18>
         : reals == 12 ? write_row<Stored, 12>
                       : write_row<Stored, 8>;
}

row_writer choose_writer(storage kind, int reals) {
  return kind == storage::real64   ? writer_of<double>(reals)
         : kind == storage::real32 ? writer_of<float>(reals)
                                   : writer_of<std::int16_t>(reals);
}

/// Sites of a parity beside the face of direction mu.
std::int32_t face_sites(const site_map& map, int mu, int parity) {
  std::int32_t count = 0;
  const std::int32_t sites = map.extent[0] / 2 * map.extent[1] * map.extent[2] * map.extent[3];
  for (std::int32_t site = 0; site < sites; ++site) {
    if (map.leaves(map.place(site, parity), mu + 4)) ++count;
  }
  return count;
}

coordinate coordinate_of(const site_place& c) { return {c.at[0], c.at[1], c.at[2], c.at[3]}; }

}  // namespace

links::links(backend& where, stream& on, const site_map& map, const gauge_field& of, storage kind,
             int reals)
    : kind_(kind), reals_(reals) {
  const row_writer write = choose_writer(kind, reals);
  const std::int32_t sites = map.extent[0] / 2 * map.extent[1] * map.extent[2] * map.extent[3];
  const std::int64_t stride = padded_stride(sites);
  const auto write_link = [&](std::byte* rows, std::int64_t distance, std::int64_t row,
                              const coordinate& from, int mu, float sign) {
    write(rows, distance, row, compressed(of.link(mu, from), sign, reals).data());
  };
  std::vector<std::byte> host(bytes(static_cast<std::size_t>(stride) * 8));
  for (int parity = 0; parity < 2; ++parity) {
    for (int mu = 0; mu < 4; ++mu) {
      std::byte* rows = host.data() + bytes(static_cast<std::size_t>(parity * 4 + mu) * stride);
      for (std::int32_t site = 0; site < sites; ++site) {
        const site_place c = map.place(site, parity);
        write_link(rows, stride, site, coordinate_of(c), mu, map.link_sign(c, mu));
      }
    }
  }
  rows_ = memory(where, host.size());
  on.copy_in(rows_.data(), host.data(), host.size());
  view_.rows = rows_.data();
  view_.stride = stride;
  for (int mu = 0; mu < 4; ++mu) {
    for (int owner = 0; owner < 2; ++owner) {
      const int parity = 1 - owner;
      const std::int64_t entries = face_sites(map, mu, parity);
      if (entries == 0) continue;
      std::vector<std::byte> face(bytes(static_cast<std::size_t>(padded_stride(entries))));
      for (std::int32_t site = 0; site < sites; ++site) {
        const site_place c = map.place(site, parity);
        if (!map.leaves(c, mu + 4)) continue;
        coordinate from = coordinate_of(c);
        --from[mu];
        write_link(face.data(), padded_stride(entries), map.face_entry(c, mu), from, mu,
                   map.link_sign(c, mu + 4));
      }
      memory& ghost = ghosts_[mu][owner] = memory(where, face.size());
      on.copy_in(ghost.data(), face.data(), face.size());
      view_.ghosts[mu][owner] = ghost.data();
      view_.ghost_stride[mu][owner] = padded_stride(entries);
    }
  }
  on.synchronise();
}

std::size_t links::bytes(std::size_t count) const noexcept {
  return count * reals_ * bytes_of_real(kind_);
}

}  // namespace onehop::device
