#pragma once
/// Tells whether a process still lives, from its number alone.

#include <array>
#include <cstdint>

namespace onehop {

/// A process_identity is trivially copyable, so that it can lie in shared memory. Number and start
/// time together are unique; the namespace tells whether the number means anything to the reader.
struct process_identity {
  std::int64_t number = 0;
  std::uint64_t started = 0;
  std::uint64_t name_space = 0;
};

process_identity this_process() noexcept;

/// A boot_identity differs from machine to machine, and from one start of a machine to the next.
using boot_identity = std::array<char, 40>;
boot_identity this_boot() noexcept;

/// Returns true when the process has certainly ended, also as a zombie. For a process of another
/// namespace this is unknown, and it counts as living.
bool has_ended(const process_identity& process) noexcept;

}  // namespace onehop
