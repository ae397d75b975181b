#pragma once
/// A gauge_layout says where a configuration file keeps its links, and what it states about them.
/// For each format, this file declares a reader of headers and a writer of the data around the
/// links.

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_order.hpp"
#include "io/checksum.hpp"
#include "io/input_file.hpp"
#include "io/site_block.hpp"

namespace onehop::io {

/// A stated_number is a number in a header.
struct stated_number {
  double value = 0;
  /// This is one unit of the last digit printed; 0 for a binary number.
  double unit = 0;
};

enum class site_order {
  lexicographic,  ///< x fastest; links of each site in x, y, z, t; all rows or the first two
  odd_sites,      ///< openQCD: z fastest, odd sites only, each with the eight links that touch it
};

struct gauge_layout {
  std::string format;  ///< "ILDG", "SciDAC", "NERSC", "MILC", "openQCD"
  lattice_site extents{};
  real_format reals;
  site_order order = site_order::lexicographic;
  int stored_rows = 3;  ///< rows stored per matrix: 3, or 2 if the third is to be computed
  std::uint64_t data_offset = 0;
  partial_checksum stated_checksum;  ///< kind none if the file states none
  std::optional<stated_number> plaquette;
  std::optional<stated_number> link_trace;
  std::vector<std::string> warnings;  ///< lines for the user, with the path

  /// Returns the bytes of one site, which has four matrices.
  std::size_t site_bytes() const noexcept {
    return 4U * 6U * static_cast<std::size_t>(stored_rows) * reals.bytes();
  }
};

/// A gauge_frame is what a writer puts before and after the links.
struct gauge_frame {
  std::string head, tail;
};

/// Each format has three functions: whether a file has this format (decided from its first bytes if
/// they suffice); what its header says; what surrounds links stored as `layout` says. Reading
/// throws file_error if the header makes no sense or the file cannot hold its data. The length of a
/// head does not depend on the values of checksum, plaquette and link trace.
bool is_ildg(const input_file& file, std::string_view first_bytes);
gauge_layout read_ildg_layout(const input_file& file);
gauge_frame ildg_frame(const gauge_layout& layout);

bool is_scidac(const input_file& file, std::string_view first_bytes);
gauge_layout read_scidac_layout(const input_file& file);
gauge_frame scidac_frame(const gauge_layout& layout);

bool is_nersc(const input_file& file, std::string_view first_bytes);
gauge_layout read_nersc_layout(const input_file& file);
gauge_frame nersc_frame(const gauge_layout& layout);

bool is_milc(const input_file& file, std::string_view first_bytes);
gauge_layout read_milc_layout(const input_file& file);
gauge_frame milc_frame(const gauge_layout& layout);

/// openQCD files have no magic number; this tests whether the extents and plaquette are plausible.
bool is_openqcd(const input_file& file, std::string_view first_bytes);
gauge_layout read_openqcd_layout(const input_file& file);
gauge_frame openqcd_frame(const gauge_layout& layout);

/// The functions that recognise a format need this many bytes from the start of a file.
inline constexpr std::uint64_t first_bytes_needed = 24;

/// Returns extents from untrusted numbers; throws file_error unless all are between 1 and 2^20.
lattice_site checked_extents(const input_file& file, const std::array<std::int64_t, 4>& stated);
/// Returns the bytes of all links; throws file_error if the number does not fit in 63 bits.
std::uint64_t data_bytes(const input_file& file, const gauge_layout& layout);
/// Throws file_error if the data are truncated and warns about bytes after them, for formats whose
/// data extend to the end of the file.
void check_data_end(const input_file& file, gauge_layout& layout);

}  // namespace onehop::io
