#pragma once
/// Where a configuration file keeps its links, and what it says of them.

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

/// A number of a header.
struct stated_number {
  double value = 0;
  /// This is one unit of the last digit printed; 0 for a binary number.
  double unit = 0;
};

enum class site_order {
  lexicographic,  ///< x fastest; x, y, z, t link of each site, all rows or the first two
  odd_sites,      ///< openQCD: z fastest, odd sites only, each with the eight links that touch it
};

struct gauge_layout {
  std::string format;  ///< "ILDG", "NERSC", "MILC", "openQCD"
  lattice_site extents{};
  real_format reals;
  site_order order = site_order::lexicographic;
  int stored_rows = 3;  ///< of each matrix: 3, or 2 with the third to be completed
  std::uint64_t data_offset = 0;
  partial_checksum stated_checksum;  ///< kind none when the file states none
  std::optional<stated_number> plaquette;
  std::optional<stated_number> link_trace;
  std::vector<std::string> warnings;  ///< lines for the user, path included

  /// Bytes of one site: four matrices.
  std::size_t site_bytes() const noexcept {
    return 4U * 6U * static_cast<std::size_t>(stored_rows) * reals.bytes();
  }
};

/// The formats: whether a file's first bytes say so, and what its header says. Reading throws
/// file_error when the header makes no sense or the file cannot hold its data.
bool is_lime(std::string_view first_bytes) noexcept;
gauge_layout read_ildg_layout(const input_file& file);

bool is_nersc(std::string_view first_bytes) noexcept;
gauge_layout read_nersc_layout(const input_file& file);

bool is_milc(std::string_view first_bytes) noexcept;
gauge_layout read_milc_layout(const input_file& file);

/// openQCD files have no magic number; this asks whether the extents and plaquette are plausible.
bool is_openqcd(std::string_view first_bytes) noexcept;
gauge_layout read_openqcd_layout(const input_file& file);

/// Bytes at the start of a file that the questions above need.
inline constexpr std::uint64_t first_bytes_needed = 24;

/// Extents from untrusted numbers; throws file_error unless all are between 1 and 2^20.
lattice_site checked_extents(const input_file& file, const std::array<std::int64_t, 4>& stated);
/// Bytes of all links; throws file_error when the number does not fit 63 bits.
std::uint64_t data_bytes(const input_file& file, const gauge_layout& layout);
/// For formats whose data run to the end of the file: throws file_error when they are truncated and
/// warns about bytes behind them.
void check_data_end(const input_file& file, gauge_layout& layout);

}  // namespace onehop::io
