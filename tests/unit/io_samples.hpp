#pragma once
/// Random configurations and files of every format, encoded here from the formats' descriptions
/// and not by the code under test.

#include <array>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/gauge_reader.hpp"

namespace samples {

using onehop::io::lattice_site;
using onehop::io::link_matrix;
using onehop::io::site_block;

struct configuration {
  lattice_site extents{};
  std::vector<link_matrix> links;  ///< site x fastest, then mu

  configuration() = default;
  explicit configuration(const lattice_site& extents);
  std::size_t index(const lattice_site& site, int mu) const;
  const link_matrix& link(lattice_site site, int mu) const;  ///< periodic
  link_matrix& link(lattice_site site, int mu);
  bool operator==(const configuration&) const = default;
};

/// SU(3) matrices; `bits` 32 rounds the entries to float.
configuration random_configuration(const lattice_site& extents, std::uint64_t seed, int bits = 64);
double plaquette(const configuration& links);
double link_trace(const configuration& links);

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
lime_part scidac_checksum(const std::string& data, std::size_t site_bytes);
/// Format, data and checksum.
std::string ildg_file(const configuration& links, int bits = 64);

/// Every format, precision and byte order, with what a reader must find in it.
struct sample {
  std::string name, format;
  int bits;
  bool little, has_checksum;
  configuration links;
  std::string bytes;
  std::size_t data_offset;
};
std::vector<sample> every_kind(const lattice_site& extents, std::uint64_t seed = 1);

/// A folder of its own under the system's folder for temporary files, removed at the end.
class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& bytes) const;
  std::vector<std::string> entries() const;

 private:
  std::filesystem::path folder_;
};

/// A file without a place on any disk, for tests that need very many.
class memory_file {
 public:
  memory_file();
  ~memory_file();
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  /// Replaces the content; returns the path to open.
  std::string put(std::string_view bytes) const;

 private:
  int descriptor_;
};

std::string bytes_of_file(const std::string& path);
configuration read_all(onehop::io::gauge_reader& reader);
/// Opens, reads everything and verifies the checksum.
configuration read_verified(const std::string& path);

}  // namespace samples
