#pragma once
/// SciDAC files hold fields as QIO writes them: LIME records that say what each site holds, then
/// the sites in lexicographic order, x fastest, big-endian, then their checksum.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/checksum.hpp"
#include "io/gauge_layout.hpp"
#include "io/input_file.hpp"
#include "io/site_block.hpp"

namespace onehop::io {

struct scidac_field {
  lattice_site extents{};
  std::string datatype;  ///< name of the type: "QDP_D3_ColorMatrix", "QDP_F3_DiracPropagator", ...
  int bits = 64;
  int colours = 3;
  int spins = 0;  ///< spins of a site, 0 where there are none
  /// The complex numbers of one object, and the objects at each site: 9 and 4 for a gauge field.
  int object_numbers = 0;
  int objects = 1;
  std::uint64_t data_offset = 0;
  partial_checksum checksum;  ///< kind none when the file states none

  std::size_t site_bytes() const noexcept {
    return static_cast<std::size_t>(object_numbers) * static_cast<std::size_t>(objects) * 2U *
           static_cast<std::size_t>(bits) / 8U;
  }
};

struct scidac_contents {
  std::vector<scidac_field> fields;
  std::vector<std::string> warnings;
};

/// Returns whether the file is a LIME file with such a field and no ILDG configuration.
bool has_scidac_field(const input_file& file, std::string_view first_bytes);
/// Reads all fields of the file. Throws file_error when the records make no sense.
scidac_contents read_scidac_contents(const input_file& file);
/// Returns what goes around the sites of one field; `field` holds the checksum, `about` says in
/// words what the numbers are.
gauge_frame scidac_frame_of(const scidac_field& field, std::string_view about);

}  // namespace onehop::io
