#pragma once
/// One table lists the formats of configuration files: how each is recognised, read and written.

#include <span>
#include <string_view>

#include "io/gauge_layout.hpp"

namespace onehop::io {

/// A gauge_shape says what a file is to hold. Zero bits or rows mean the format's own number.
struct gauge_shape {
  lattice_site extents{};
  int bits = 0;
  int rows = 0;
};

struct gauge_format {
  std::string_view name;      ///< name of the format, as in gauge_layout::format
  std::string_view suffixes;  ///< suffixes of file names, separated by blanks
  /// The conventions describe the numbers in words: order of indices, byte order, normalisation,
  /// boundary.
  std::string_view conventions;

  checksum_kind checksum;
  std::endian order = std::endian::big;  ///< byte order in which files are written
  site_order sites = site_order::lexicographic;
  bool has_single = true, has_double = true, has_two_rows = false, needs_even_extents = false;

  bool (*is)(const input_file& file, std::string_view first_bytes);
  gauge_layout (*read)(const input_file& file);
  gauge_frame (*frame)(const gauge_layout& layout);
};

/// Returns the formats in the order in which a file is tested for them.
std::span<const gauge_format> gauge_formats() noexcept;
/// Returns the names in one line: "ILDG, SciDAC, NERSC, MILC and openQCD".
std::string gauge_format_names();
/// Returns the format with this name, ignoring case. Throws usage_error naming the formats that
/// exist.
const gauge_format& gauge_format_named(std::string_view name);

/// Plans where a new file of the format keeps its links. Throws usage_error for a shape that the
/// format cannot hold.
gauge_layout plan_layout(const gauge_format& format, const gauge_shape& shape);

}  // namespace onehop::io
