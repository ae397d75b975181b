#pragma once
/// What a file reader must survive: any bytes.

#include <onehop/error.hpp>
#include <stdexcept>
#include <vector>

#include "unit/io_samples.hpp"

namespace fuzz {

/// Reads the bytes as a configuration: all of it, then the upper half in each direction. Returns
/// whether they were accepted; a file_error is a refusal. Anything else that is thrown, and links
/// that come not once each, are errors of the reader.
inline bool read_everything(const samples::memory_file& file, std::string_view bytes) {
  const std::string path = file.put(bytes);
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
    return false;
  }
}

}  // namespace fuzz
