#include "machine/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace onehop {
namespace {

struct status_line {
  char state = 0;  ///< state letter of the process; 0 if the kernel shows none
  std::uint64_t started = 0;
};

/// Reads /proc/NUMBER/stat: "number (name) state ppid ..."; the start time is field 22.
status_line read_status(std::int64_t number) noexcept {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/%lld/stat", static_cast<long long>(number));
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 1024> line{};
  const ssize_t length = read(file, line.data(), line.size() - 1);
  close(file);
  // The name may hold spaces and brackets itself, so count from the last bracket.
  const char* rest = length > 0 ? std::strrchr(line.data(), ')') : nullptr;
  status_line result;
  unsigned long long started = 0;
  if (rest != nullptr &&
      std::sscanf(
          rest + 1,
          " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
          &result.state, &started) == 2)
    result.started = started;
  return result;
}

std::uint64_t own_namespace() noexcept {
  struct stat info {};
  return stat("/proc/self/ns/pid", &info) == 0 ? std::uint64_t{info.st_ino} : 0;
}

}  // namespace

process_identity this_process() noexcept {
  return {getpid(), read_status(getpid()).started, own_namespace()};
}

boot_identity this_boot() noexcept {
  boot_identity result{};
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file < 0) return result;
  if (read(file, result.data(), result.size() - 1) < 0) result = {};
  close(file);
  return result;
}

bool has_ended(const process_identity& process) noexcept {
  if (process.number <= 0 || process.name_space != own_namespace()) return false;
  if (kill(static_cast<pid_t>(process.number), 0) != 0 && errno == ESRCH) return true;
  const status_line now = read_status(process.number);
  if (now.state == 0) return false;
  return now.state == 'Z' || now.state == 'X' || now.started != process.started;
}

}  // namespace onehop
