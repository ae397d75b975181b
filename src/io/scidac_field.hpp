#pragma once
/// SciDAC files hold fields as QIO writes them: LIME records that describe what each site holds,
/// then the sites in lexicographic order, x fastest, big-endian, then their checksum. A field may
/// have numbers on some time slices only, as sources do (recordtype 2); the checksum then still
/// counts sites of the whole lattice.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/checksum.hpp"
#include "io/gauge_layout.hpp"
#include "io/input_file.hpp"
#include "io/site_block.hpp"

namespace onehop::io {

/// A site has at most this many complex numbers; a header that states more is damaged.
constexpr int most_site_numbers = 1 << 20;

struct scidac_field {
  lattice_site extents{};
  std::string datatype;  ///< name of the type: "QDP_D3_ColorMatrix", "QDP_F3_DiracPropagator", ...
  int bits = 64;
  int colours = 3;  ///< colours of a site, 0 if there are none
  int spins = 0;    ///< spins of a site, 0 if there are none
  /// The field has numbers on time slices first_time to last_time.
  int first_time = 0, last_time = 0;
  /// These are the number of complex numbers in an object, and of objects at each site: 9 and 4 for
  /// a gauge field.
  int object_numbers = 0;
  int objects = 1;
  std::uint64_t data_offset = 0;
  partial_checksum checksum;  ///< kind none if the file states none
  std::string xml;            ///< the writing program's record of the field, cut if it is long

  std::size_t site_bytes() const noexcept {
    return static_cast<std::size_t>(object_numbers) * static_cast<std::size_t>(objects) * 2U *
           static_cast<std::size_t>(bits) / 8U;
  }
  bool is_on_all_slices() const noexcept { return first_time == 0 && last_time == extents[3] - 1; }
  std::uint64_t first_site() const noexcept {
    return static_cast<std::uint64_t>(first_time) *
           site_count({extents[0], extents[1], extents[2], 1});
  }
  std::uint64_t sites() const noexcept {
    return site_count({extents[0], extents[1], extents[2], last_time - first_time + 1});
  }
};

struct scidac_contents {
  std::vector<scidac_field> fields;
  std::string xml;  ///< the writing program's record of the file, cut if it is long
  std::vector<std::string> warnings;
};

/// Returns whether the file is a LIME file with such a field and without an ILDG configuration.
bool has_scidac_field(const input_file& file, std::string_view first_bytes);
/// Reads all fields of the file. Throws file_error if the records make no sense.
scidac_contents read_scidac_contents(const input_file& file);

/// Returns the records before the first field; `xml` describes the file.
std::string scidac_file_head(const lattice_site& extents, std::string_view xml);
/// Returns the records before the sites of a field and the header of the site record.
std::string scidac_field_head(const scidac_field& field);

}  // namespace onehop::io
