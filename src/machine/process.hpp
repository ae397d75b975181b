#pragma once
/// This file tells from a process's number whether the process still lives.

#include <array>
#include <cstdint>

namespace onehop {

/// A process_identity is trivially copyable, so that it can lie in shared memory. Number and start
/// time together are unique; the namespace tells whether the number is valid for the reader.
struct process_identity {
  std::int64_t number = 0;
  std::uint64_t started = 0;
  std::uint64_t name_space = 0;
};

process_identity this_process() noexcept;

/// A boot_identity differs between machines, and between boots of one machine.
using boot_identity = std::array<char, 40>;
boot_identity this_boot() noexcept;

/// Returns true if the process has certainly ended, including as a zombie. For a process in another
/// namespace this is unknown, and the process counts as living.
bool has_ended(const process_identity& process) noexcept;

}  // namespace onehop
