#pragma once
/// These files of every format are encoded here from the formats' descriptions and not by the code
/// under test.

#include <cstdint>
#include <string>
#include <vector>

#include "io/gauge_reader.hpp"
#include "unit/io_configuration.hpp"
#include "unit/io_scratch.hpp"

namespace samples {

struct nersc_choice {
  std::string floating_point = "IEEE64BIG";
  int rows = 3;
  bool checksum = true;
  std::string plaquette = {};   ///< as printed; empty for the right value
  std::string link_trace = {};  ///< as printed; empty for the right value
};
std::string nersc_file(const configuration& links, const nersc_choice& choice = {});

std::string milc_file(const configuration& links, bool little, std::uint32_t site_order = 0);

std::string openqcd_file(const configuration& links);

struct lime_part {
  std::string type, content;
  unsigned flags = 0xc0;
};
std::string lime_file(const std::vector<lime_part>& parts);
lime_part ildg_format(const lattice_site& extents, int bits);
lime_part ildg_data(const configuration& links, int bits);
/// Returns the checksum of the sites beginning with number `first_site`.
lime_part scidac_checksum(const std::string& data, std::size_t site_bytes,
                          std::uint64_t first_site = 0);
/// Returns a file with format, data and checksum.
std::string ildg_file(const configuration& links, int bits = 64);
/// Returns a file as QIO writes it: file records, field records, data and checksum.
std::string scidac_file(const configuration& links, int bits = 64, int volume_format = 0);

/// Returns a file with one field of 144 complex numbers at each site, 0, 1, 2, ..., as QDP++ writes
/// a propagator.
std::string propagator_file(const lattice_site& extents, int bits);

/// Returns a staggered propagator as MILC writes it: a complex source on time slice 1, then a
/// colour vector for each colour of the source. The numbers of field n are 1000 n, 1000 n + 1, ...
std::string staggered_file(const lattice_site& extents, int bits);
/// Returns eigenvectors as MILC writes them, with eigenvalues 0.25, 0.5, ..., and the same numbers.
std::string eigenvector_file(const lattice_site& extents, int bits, int count);

/// A sample is a file of some format, precision and byte order, with what a reader must find in it.
struct sample {
  std::string name, format;
  int bits;
  bool little, has_checksum;
  configuration links;
  std::string bytes;
  std::size_t data_offset;
};
std::vector<sample> every_kind(const lattice_site& extents, std::uint64_t seed = 1);

configuration read_all(onehop::io::gauge_reader& reader);
/// Opens a file, reads everything and verifies the checksum.
configuration read_verified(const std::string& path);

}  // namespace samples
