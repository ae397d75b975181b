#pragma once
/// The formats of configuration files in one table: how each is told, read and written.

#include <span>
#include <string_view>

#include "io/gauge_layout.hpp"

namespace onehop::io {

/// What a file is to hold. Zero bits or rows stand for the format's own.
struct gauge_shape {
  lattice_site extents{};
  int bits = 0;
  int rows = 0;
};

struct gauge_format {
  std::string_view name;      ///< as gauge_layout::format
  std::string_view suffixes;  ///< of file names, apart by blanks
  /// What the numbers are, in words: order of indices, byte order, normalisation, boundary.
  std::string_view conventions;

  checksum_kind checksum;
  std::endian order;  ///< of what is written
  site_order sites;
  bool has_single, has_double, has_two_rows, needs_even_extents;

  bool (*is)(const input_file& file, std::string_view first_bytes);
  gauge_layout (*read)(const input_file& file);
  gauge_frame (*frame)(const gauge_layout& layout);
};

/// In the order in which they are asked whether a file is theirs.
std::span<const gauge_format> gauge_formats() noexcept;
/// "ILDG, SciDAC, NERSC, MILC and openQCD"
std::string gauge_format_names();
/// In any case of letters. Throws usage_error naming those that there are.
const gauge_format& gauge_format_named(std::string_view name);

/// Where a new file of the format keeps its links. Throws usage_error for a shape that the format
/// cannot hold.
gauge_layout plan_layout(const gauge_format& format, const gauge_shape& shape);

}  // namespace onehop::io
