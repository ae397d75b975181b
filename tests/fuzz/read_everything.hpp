#pragma once
/// A file reader must survive any bytes.

#include <complex>
#include <onehop/error.hpp>
#include <onehop/scidac_slices.hpp>
#include <stdexcept>
#include <vector>

#include "unit/io_samples.hpp"

namespace fuzz {

/// Reads the bytes as the fields of a SciDAC file, all of them. Returns whether they were accepted;
/// a file_error is a refusal.
inline bool read_fields(const std::string& path) {
  try {
    if (!onehop::is_scidac_file(path)) return false;
    onehop::scidac_slice_reader reader(path);
    int number = 0;
    for (const auto& field : reader.fields()) {
      const auto& [x, y, z, t_extent] = field.lattice;
      std::vector<std::complex<double>> slice(static_cast<std::size_t>(field.numbers) *
                                              onehop::io::site_count({x, y, z, 1}));
      for (int t = field.first_time; t <= field.last_time; ++t) reader.read(number, t, slice);
      if (field.last_time + 1 < t_extent) reader.read(number, field.last_time + 1, slice);
      ++number;
    }
    reader.verify_checksum();
    return true;
  } catch (const onehop::file_error&) {
    return false;
  }
}

/// Reads the bytes as fields and as a configuration: all of it, then the upper half in each
/// direction. Returns whether they were accepted; a file_error is a refusal. Any other exception,
/// and a link that does not come exactly once, is an error of the reader.
inline bool read_everything(const samples::memory_file& file, std::string_view bytes) {
  const std::string path = file.put(bytes);
  const bool is_field = read_fields(path);
  try {
    auto reader = onehop::io::gauge_reader::open(path);
    const auto extents = reader.layout().extents;
    samples::configuration links(extents);
    std::vector<int> seen(links.links.size());
    reader.read({{}, extents},
                [&](const samples::lattice_site& site, int mu, const samples::link_matrix& u) {
                  links.links.at(links.index(site, mu)) = u;
                  ++seen.at(links.index(site, mu));
                });
    for (const int times : seen) {
      if (times != 1) throw std::logic_error("a link came not once");
    }
    samples::site_block half;
    for (std::size_t d = 0; d < 4; ++d) {
      half.origin[d] = extents[d] / 2;
      half.extents[d] = extents[d] - half.origin[d];
    }
    const auto total = reader.partial();
    reader.read(half, [&](const samples::lattice_site& site, int, const samples::link_matrix&) {
      if (!onehop::io::contains(half, site)) throw std::logic_error("a link of another block");
    });
    reader.verify(total);
    return true;
  } catch (const onehop::file_error&) {
    return is_field;
  }
}

}  // namespace fuzz
