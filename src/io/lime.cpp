#include "io/lime.hpp"

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "io/byte_order.hpp"

namespace onehop::io {
namespace {

constexpr std::string_view lime_magic = "\x45\x67\x89\xab";
constexpr std::size_t version_at = 4;
constexpr std::size_t flags_at = 6;
constexpr std::size_t length_at = 8;
constexpr std::size_t type_at = 16;
constexpr std::size_t type_bytes = 128;
constexpr std::uint64_t begins_flag = 0x80, ends_flag = 0x40;
// A type with at most this many wrong letters is a damaged form of the expected one, not a
// different type: the types in use differ in more letters.
constexpr std::ptrdiff_t most_damaged_letters = 3;

const std::byte* bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<const std::byte*>(text.data());
}

// Throws if the record at `offset` extends past the end of the file.
lime_record decode(const input_file& file, std::uint64_t offset, std::string_view header) {
  lime_record record;
  const std::string_view type = header.substr(type_at, type_bytes);
  record.type = type.substr(0, type.find('\0'));
  record.data_offset = offset + lime_header_bytes;
  record.bytes = load<std::uint64_t>(bytes_of(header) + length_at, std::endian::big);
  if (record.bytes > file.size() - record.data_offset) {
    file.fail(text("is truncated or damaged: LIME record '", record.type, "' at byte ", offset,
                   " states ", record.bytes, " bytes of data, but the file has only ",
                   file.size() - record.data_offset, " left; fetch it again"));
  }
  return record;
}

// A type field holds the type and a zero. If the type has the length of `needed`, or that zero was
// damaged, a damaged field differs in few bytes.
bool is_damaged(std::string_view field, std::string_view needed) noexcept {
  const std::string_view there = field.substr(0, needed.size());
  const std::ptrdiff_t differ =
      std::ranges::count_if(
          there, [&, k = std::size_t{0}](char letter) mutable { return letter != needed[k++]; }) +
      (field[needed.size()] != '\0' ? 1 : 0);
  return differ > 0 && differ <= most_damaged_letters;
}

void check_padding(const input_file& file, const lime_record& record) {
  // A last record without its padding is accepted, since some writers omit the padding.
  const std::uint64_t end = record.data_offset + record.bytes;
  if (file.size() == end || file.size() >= end + lime_padding(record.bytes)) return;
  file.fail(text("is truncated: it ends within the last bytes of its LIME record '", record.type,
                 "'; fetch it again"));
}

}  // namespace

bool starts_with_lime_magic(std::string_view bytes) noexcept {
  return bytes.starts_with(lime_magic);
}

lime_directory list_lime_records(const input_file& file, bool (*wanted)(std::string_view type),
                                 std::span<const std::string_view> needed) {
  lime_directory directory;
  std::uint64_t offset = 0;
  bool marks_ends = false, last_ends = false;
  while (offset < file.size()) {
    const std::string header = file.read_text(offset, lime_header_bytes);
    // A header that is cut short, even within its magic number, means a truncated file; anything
    // else is not a record.
    if (!lime_magic.starts_with(std::string_view(header).substr(0, lime_magic.size()))) break;
    if (header.size() < lime_header_bytes) {
      file.fail(text("is truncated: its last LIME record header, at byte ", offset, ", has ",
                     header.size(), " of ", lime_header_bytes, " bytes; fetch it again"));
    }
    auto record = decode(file, offset, header);
    const auto field = std::string_view(header).substr(type_at, type_bytes);
    for (const std::string_view type : needed) {
      if (!is_damaged(field, type)) continue;
      file.fail(text("the type of its LIME record at byte ", offset, " is nearly '", type,
                     "'; the file is damaged, fetch it again"));
    }
    check_padding(file, record);
    const auto flags = static_cast<unsigned char>(header[flags_at]);
    last_ends = (flags & ends_flag) != 0;
    marks_ends = marks_ends || (flags & (begins_flag | ends_flag)) != 0;
    offset = record.data_offset + record.bytes + lime_padding(record.bytes);
    if (wanted(record.type)) directory.records.push_back(std::move(record));
  }
  directory.trailing_bytes = offset < file.size() ? file.size() - offset : 0;
  directory.message_complete = last_ends || !marks_ends;
  return directory;
}

std::string lime_header(std::string_view type, std::uint64_t bytes, lime_message part) {
  std::string header(lime_header_bytes, '\0');
  auto* to = reinterpret_cast<std::byte*>(header.data());
  header.replace(0, lime_magic.size(), lime_magic);
  to[version_at + 1] = std::byte{1};
  const bool begins = part == lime_message::begins || part == lime_message::whole;
  const bool ends = part == lime_message::ends || part == lime_message::whole;
  to[flags_at] = static_cast<std::byte>((begins ? begins_flag : 0) | (ends ? ends_flag : 0));
  store<std::uint64_t>(to + length_at, bytes, std::endian::big);
  header.replace(type_at, type.size(), type);
  return header;
}

}  // namespace onehop::io
