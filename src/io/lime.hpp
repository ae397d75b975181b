#pragma once
/// A LIME file is a list of records.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_file.hpp"

namespace onehop::io {

struct lime_record {
  std::string type;
  std::uint64_t data_offset = 0;
  std::uint64_t bytes = 0;
};

struct lime_directory {
  std::vector<lime_record> records;
  /// The number of bytes at the end of the file that are not a record.
  std::uint64_t trailing_bytes = 0;
  /// This is false if the writer marked the ends of its messages but the last record is not marked.
  bool message_complete = true;
};

inline constexpr std::uint64_t lime_header_bytes = 144;

bool starts_with_lime_magic(std::string_view bytes) noexcept;
/// Lists the records whose type is used here, as decided by `wanted`, and skips others. Throws
/// file_error if a record extends past the end of the file or ends within its padding, or if a type
/// looks like `needed` with a few damaged letters.
lime_directory list_lime_records(const input_file& file, bool (*wanted)(std::string_view type),
                                 std::span<const std::string_view> needed);

enum class lime_message { begins, continues, ends, whole };
/// Returns the header that precedes `bytes` bytes of data.
std::string lime_header(std::string_view type, std::uint64_t bytes, lime_message part);
/// Returns how many zeros follow `bytes` bytes of data, up to a multiple of eight bytes.
constexpr std::uint64_t lime_padding(std::uint64_t bytes) noexcept { return (8 - bytes % 8) % 8; }

}  // namespace onehop::io
