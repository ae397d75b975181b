#include "io/gauge_layout.hpp"

#include "base/text.hpp"

namespace onehop::io {
namespace {
constexpr std::int64_t largest_extent = std::int64_t{1} << 20;
}

lattice_site checked_extents(const input_file& file, const std::array<std::int64_t, 4>& stated) {
  lattice_site extents{};
  for (std::size_t d = 0; d < 4; ++d) {
    if (stated[d] < 1 || stated[d] > largest_extent) {
      file.fail(text("its header states the lattice ", stated[0], 'x', stated[1], 'x', stated[2],
                     'x', stated[3], ", but extents lie between 1 and ", largest_extent,
                     "; the header is damaged"));
    }
    extents[d] = static_cast<int>(stated[d]);
  }
  return extents;
}

std::uint64_t data_bytes(const input_file& file, const gauge_layout& layout) {
  std::uint64_t bytes = layout.site_bytes();
  bool fits = true;
  for (const int extent : layout.extents) {
    fits = fits && !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes);
  }
  if (!fits || bytes > (std::uint64_t{1} << 62)) {
    file.fail(text("its header states the lattice ", extents_text(layout.extents),
                   ", more than any file can hold; the header is damaged"));
  }
  return bytes;
}

void check_data_end(const input_file& file, gauge_layout& layout) {
  const std::uint64_t needed = layout.data_offset + data_bytes(file, layout);
  if (file.size() < needed) {
    file.fail(text("is truncated: it has ", file.size(), " bytes, but its header (", layout.format,
                   ", ", extents_text(layout.extents), ", ", layout.reals.bits, " bit) needs ",
                   needed, "; fetch it again"));
  }
  if (file.size() > needed) {
    layout.warnings.push_back(text(file.path(), ": ignored ", file.size() - needed,
                                   " bytes after the data, which end at byte ", needed));
  }
}

}  // namespace onehop::io
