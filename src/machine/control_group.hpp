#pragma once
/// control_group says what the kernel grants the group of processes to which this one belongs, as
/// batch systems and containers make them.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>

namespace onehop {

/// The limits of version 1 and of version 2 of the control groups; the least of the group's own
/// and of those above it holds. Reads files each time, and never throws: what cannot be read or
/// understood grants everything.
class control_group {
 public:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

  /// `of_process` lists the process's groups as /proc/self/cgroup does; `mounted` is where their
  /// files are.
  explicit control_group(std::filesystem::path of_process = "/proc/self/cgroup",
                         std::filesystem::path mounted = "/sys/fs/cgroup")
      : of_process_(std::move(of_process)), mounted_(std::move(mounted)) {}

  /// Returns the bytes of memory, shared memory included, or `unlimited`.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;

  /// Returns the whole cores that the quota of processor time comes to, or `unlimited`.
  [[nodiscard]] std::uint64_t cores() const noexcept;

 private:
  /// Returns the least that `read` returns for a folder of the process's group or of one above it.
  template <typename Read>
  std::uint64_t least(std::string_view controller, Read read) const noexcept;

  std::filesystem::path of_process_, mounted_;
};

}  // namespace onehop
