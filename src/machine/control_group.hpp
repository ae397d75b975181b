#pragma once
/// control_group says what the kernel grants to this process's control group, as set up by batch
/// systems and containers.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>

namespace onehop {

/// It knows the limits of versions 1 and 2 of control groups; the smallest limit of the group and
/// of those above it applies. It reads the files on each call and never throws: what cannot be read
/// or understood counts as unlimited.
class control_group {
 public:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

  /// `of_process` lists the process's groups in the format of /proc/self/cgroup; `mounted` is the
  /// folder of their files.
  explicit control_group(std::filesystem::path of_process = "/proc/self/cgroup",
                         std::filesystem::path mounted = "/sys/fs/cgroup")
      : of_process_(std::move(of_process)), mounted_(std::move(mounted)) {}

  /// Returns the memory limit in bytes, shared memory included, or `unlimited`.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;

  /// Returns how many whole cores the processor-time quota amounts to, or `unlimited`.
  [[nodiscard]] std::uint64_t cores() const noexcept;

 private:
  /// Returns the smallest result of `read` for the folders of the process's group and of those
  /// above it.
  template <typename Read>
  std::uint64_t least(std::string_view controller, Read read) const noexcept;

  std::filesystem::path of_process_, mounted_;
};

}  // namespace onehop
