#include "base/text.hpp"
#include "io/gauge_layout.hpp"

namespace onehop::io {
namespace {

// The header has a magic number, four extents, a time stamp of 64 bytes, the site order, sum29 and
// sum31.
constexpr std::uint32_t magic = 20103;
constexpr std::uint64_t extents_at = 4;
constexpr std::uint64_t stamp_at = 20;
constexpr std::string_view stamp = "written by onehop";
constexpr std::uint64_t order_at = 84;
constexpr std::uint64_t sums_at = 88;
constexpr std::uint64_t header_bytes = 96;

std::optional<std::endian> order_of(std::string_view first_bytes) noexcept {
  if (first_bytes.size() < 4) return std::nullopt;
  const auto* bytes = reinterpret_cast<const std::byte*>(first_bytes.data());
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    if (load<std::uint32_t>(bytes, order) == magic) return order;
  }
  return std::nullopt;
}

}  // namespace

bool is_milc(const input_file&, std::string_view first_bytes) {
  return order_of(first_bytes).has_value();
}

gauge_layout read_milc_layout(const input_file& file) {
  std::array<std::byte, header_bytes> header{};
  file.read(0, header);
  gauge_layout layout;
  layout.format = "MILC";
  layout.reals = {32, order_of({reinterpret_cast<const char*>(header.data()), 4}).value()};
  const auto word = [&](std::uint64_t at) {
    return load<std::uint32_t>(header.data() + at, layout.reals.order);
  };
  std::array<std::int64_t, 4> extents{};
  for (std::size_t d = 0; d < 4; ++d) {
    extents[d] = static_cast<std::int32_t>(word(extents_at + 4 * d));
  }
  layout.extents = checked_extents(file, extents);
  if (word(order_at) != 0) {
    file.fail(text("stores its sites in MILC order ", word(order_at),
                   ", but only 0 (lexicographic) can be read; save it again with save_serial"));
  }
  layout.data_offset = header_bytes;
  layout.stated_checksum = {checksum_kind::milc, {word(sums_at), word(sums_at + 4)}};
  check_data_end(file, layout);
  return layout;
}

// The time stamp is for human readers; it is left empty, so that equal links give equal bytes.
gauge_frame milc_frame(const gauge_layout& layout) {
  gauge_frame frame;
  frame.head.resize(header_bytes, '\0');
  auto* to = reinterpret_cast<std::byte*>(frame.head.data());
  const auto put = [&](std::uint64_t at, std::uint32_t word) {
    store(to + at, word, layout.reals.order);
  };
  put(0, magic);
  for (std::size_t d = 0; d < 4; ++d) {
    put(extents_at + 4 * d, static_cast<std::uint32_t>(layout.extents[d]));
  }
  frame.head.replace(stamp_at, stamp.size(), stamp);
  put(sums_at, layout.stated_checksum.words[0]);
  put(sums_at + 4, layout.stated_checksum.words[1]);
  return frame;
}

}  // namespace onehop::io
