#pragma once
/// The ONEHOP_ environment variables are read only here.

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace onehop {

struct environment {
  std::optional<int> rank;        ///< ONEHOP_RANK
  std::optional<int> size;        ///< ONEHOP_SIZE
  std::optional<int> segment_fd;  ///< ONEHOP_SEGMENT_FD, the job's shared memory
  std::optional<int> report_fd;   ///< ONEHOP_REPORT_FD, on which the launcher listens
  std::chrono::nanoseconds deadline = std::chrono::seconds(60);  ///< ONEHOP_DEADLINE_S
  std::string node;                                              ///< ONEHOP_NODE
  std::string channels;                               ///< ONEHOP_CHANNELS, empty for the default
  std::size_t device_block = std::size_t{512} << 10;  ///< ONEHOP_DEVICE_BLOCK, bytes
  std::string device_channel = "auto";                ///< ONEHOP_DEVICE_CHANNEL
  /// ONEHOP_DEVICE_PACK, bytes of the longest row that a kernel packs; 0 for none.
  std::size_t device_pack = 65536;
  bool device_pack_chosen = false;  ///< ONEHOP_DEVICE_PACK was set
  std::string module_path;          ///< ONEHOP_MODULE_PATH, folders separated by colons
  std::string recording;            ///< ONEHOP_RECORDING, folder for the recording
  std::string computing;            ///< ONEHOP_COMPUTING, folder with the recorded computing times
  std::string simd = "auto";        ///< ONEHOP_SIMD
  std::string tuning;               ///< ONEHOP_TUNING, empty for the user's own file

  /// Reads the environment of this process. Throws usage_error for an unknown ONEHOP_ variable,
  /// naming the nearest known one, and for a value out of range.
  static environment read();
  /// Reads a list of "NAME=value" as settings; names that do not begin with ONEHOP_ are skipped.
  static environment parse(std::span<const std::string_view> variables);
};

/// An environment_variable is one line of the table used for parsing, documentation and `onehop
/// info`.
struct environment_variable {
  std::string_view name, unit, default_value, help;
};
std::span<const environment_variable> known_environment() noexcept;

/// Returns the first entry of `known` that begins with `name`, or with which `name` begins;
/// otherwise the entry with the smallest edit distance from it.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace onehop
