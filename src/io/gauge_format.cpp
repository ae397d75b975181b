#include "io/gauge_format.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::io {
namespace {

constexpr std::array<gauge_format, 5> formats{{
    {.name = "SciDAC",
     .suffixes = ".scidac .qio",
     .conventions =
         "Four 3x3 colour matrices U_mu(x) at each site, mu = x, y, z, t, each by rows, real "
         "before imaginary part; U_mu(x) takes colour from x+mu to x. Sites lexicographic, x "
         "fastest, then y, z, t. Big-endian, single or double. Links in SU(3) as stored, not "
         "rescaled, no phases or boundary signs in them; periodic. SciDAC checksum (crc32 of each "
         "site).",
     .checksum = checksum_kind::scidac,
     .is = is_scidac,
     .read = read_scidac_layout,
     .frame = scidac_frame},
    {.name = "ILDG",
     .suffixes = ".ildg .lime",
     .conventions =
         "Four 3x3 matrices U_mu(x) at each site, mu = x, y, z, t, each by rows, real before "
         "imaginary part; U_mu(x) takes colour from x+mu to x. Sites lexicographic, x fastest, "
         "then y, z, t. Big-endian, single or double. Links in SU(3), no phases or boundary signs "
         "in them; periodic. SciDAC checksum (crc32 of each site).",
     .checksum = checksum_kind::scidac,
     .is = is_ildg,
     .read = read_ildg_layout,
     .frame = ildg_frame},
    {.name = "NERSC",
     .suffixes = ".nersc",
     .conventions =
         "Four matrices U_mu(x) at each site, mu = x, y, z, t, each by rows, all three "
         "(4D_SU3_GAUGE_3x3) or the first two (4D_SU3_GAUGE), the third being the conjugate of "
         "their cross product; U_mu(x) takes colour from x+mu to x. Sites lexicographic, x "
         "fastest, then y, z, t. Written big-endian, read in both orders, single or double. "
         "Header: PLAQUETTE is the mean of Re tr P / 3, LINK_TRACE that of Re tr U / 3, CHECKSUM "
         "the sum of the 32-bit words. Links in SU(3), no boundary signs in them; periodic.",
     .checksum = checksum_kind::nersc,
     .has_two_rows = true,
     .is = is_nersc,
     .read = read_nersc_layout,
     .frame = nersc_frame},
    {.name = "MILC",
     .suffixes = ".milc",
     .conventions =
         "MILC version 5 (magic number 20103). Four 3x3 matrices U_mu(x) at each site, mu = x, y, "
         "z, t, each by rows, real before imaginary part; U_mu(x) takes colour from x+mu to x. "
         "Sites lexicographic, x fastest, then y, z, t. Single precision only; written "
         "little-endian, read in both orders. Links in SU(3), no staggered phases or boundary "
         "signs in them; periodic. Checksum of two words, sum29 and sum31. The time stamp says "
         "who wrote the file.",
     .checksum = checksum_kind::milc,
     .order = std::endian::little,
     .has_double = false,
     .is = is_milc,
     .read = read_milc_layout,
     .frame = milc_frame},
    {.name = "openQCD",
     .suffixes = ".openqcd",
     .conventions =
         "Odd sites only, z fastest, then y, x, t, each with the eight links that touch it: "
         "U_mu(x) and U_mu(x-mu) for mu = t, x, y, z; 3x3 matrices by rows, real before imaginary "
         "part; U_mu(x) takes colour from x+mu to x. Double precision, little-endian, even "
         "extents. Header: extents t, x, y, z and the mean of Re tr P, not divided by 3. Links in "
         "SU(3), periodic (boundary conditions of type 3), without boundary signs. No checksum.",
     .checksum = checksum_kind::none,
     .order = std::endian::little,
     .sites = site_order::odd_sites,
     .has_single = false,
     .needs_even_extents = true,
     .is = is_openqcd,
     .read = read_openqcd_layout,
     .frame = openqcd_frame},
}};

bool is_same_word(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::span<const gauge_format> gauge_formats() noexcept { return formats; }

std::string gauge_format_names() {
  std::string names;
  for (std::size_t n = 0; n < formats.size(); ++n) {
    if (n > 0) names += n + 1 == formats.size() ? " and " : ", ";
    names += formats[n].name;
  }
  return names;
}

const gauge_format& gauge_format_named(std::string_view name) {
  for (const gauge_format& format : formats) {
    if (is_same_word(format.name, name)) return format;
  }
  throw usage_error(text("gauge configurations cannot be written as '", name, "'; the formats are ",
                         gauge_format_names()));
}

gauge_layout plan_layout(const gauge_format& format, const gauge_shape& shape) {
  const auto refuse = [&](const auto&... pieces) {
    throw usage_error(text(format.name, " files ", pieces...));
  };
  gauge_layout layout;
  layout.format = format.name;
  layout.extents = shape.extents;
  layout.order = format.sites;
  layout.reals = {shape.bits != 0 ? shape.bits : (format.has_double ? 64 : 32), format.order};
  layout.stored_rows = shape.rows != 0 ? shape.rows : 3;
  layout.stated_checksum.kind = format.checksum;
  if (layout.reals.bits != 32 && layout.reals.bits != 64)
    refuse("have numbers of 32 or 64 bit, not of ", layout.reals.bits);
  if (layout.stored_rows != 2 && layout.stored_rows != 3)
    refuse("have 2 or 3 rows of each link, not ", layout.stored_rows);
  if (layout.reals.bits == 64 && !format.has_double) refuse("are in single precision only");
  if (layout.reals.bits == 32 && !format.has_single) refuse("are in double precision only");
  if (layout.stored_rows == 2 && !format.has_two_rows) refuse("have all three rows of each link");
  for (const int extent : shape.extents) {
    if (format.needs_even_extents && extent % 2 != 0) {
      refuse("have even extents only, not ", extents_text(shape.extents), "; give another format");
    }
  }
  layout.data_offset = format.frame(layout).head.size();
  return layout;
}

}  // namespace onehop::io
