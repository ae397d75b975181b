#include "gauge/stated_means.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop {
namespace {

// Returns how much a header's number may differ: its own rounding, limited because a writer may
// have stripped zeros, plus the rounding of the program that computed it in the file's precision.
double tolerance(const io::stated_number& stated, int precision_bits) noexcept {
  return std::min(stated.unit, 1e-3) + (precision_bits == 32 ? 1e-5 : 1e-9);
}

void compare(const io::gauge_reader& reader, const char* name,
             const std::optional<io::stated_number>& stated, double computed) {
  if (!stated) return;
  const double allowed = tolerance(*stated, reader.layout().reals.bits);
  // The comparison is written so that a computed NaN is refused.
  if (std::abs(stated->value - computed) <= allowed) return;
  throw file_error(text(reader.path(), ": its header states the ", name, " ", stated->value,
                        ", but its links give ", computed, ", more than ", allowed,
                        " away; the file is damaged or its links are not what the header says"));
}

}  // namespace

void compare_stated_means(const io::gauge_reader& reader, double plaquette, double link_trace) {
  compare(reader, "plaquette", reader.layout().plaquette, plaquette);
  compare(reader, "link trace", reader.layout().link_trace, link_trace);
}

gauge_file_info info_of(const io::gauge_layout& layout) {
  gauge_file_info info;
  info.format = layout.format;
  info.lattice = layout.extents;
  info.precision_bits = layout.reals.bits;
  info.stored_rows = layout.stored_rows;
  info.endianness = layout.reals.order == std::endian::big ? "big" : "little";
  info.has_checksum = layout.stated_checksum.kind != io::checksum_kind::none;
  info.plaquette =
      layout.plaquette ? layout.plaquette->value : std::numeric_limits<double>::quiet_NaN();
  return info;
}

}  // namespace onehop
