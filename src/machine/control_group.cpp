#include "machine/control_group.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>

namespace onehop {
namespace {

using std::filesystem::path;

/// Returns the first number of a file; a missing number or "max" means no limit.
std::optional<double> number_in(const path& file) {
  std::ifstream stream(file);
  double found = 0;
  if (stream >> found && found > 0) return found;
  return std::nullopt;
}

/// Returns the group named by a line of /proc/self/cgroup, such as 4:cpu,cpuacct:/job_1, if it has
/// this controller. In version 2 the list is empty and the group has all controllers.
std::optional<path> group_of(const std::string& line, std::string_view controller) {
  const auto first = line.find(':'), second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
  const std::string listed = "," + line.substr(first + 1, second - first - 1) + ",";
  const bool has =
      listed == ",," || listed.find("," + std::string(controller) + ",") != listed.npos;
  if (!has) return std::nullopt;
  return path(line.substr(second + 1)).relative_path();
}

std::uint64_t memory_of(const path& folder) {
  const auto found = number_in(folder / "memory.max");
  const auto former = number_in(folder / "memory.limit_in_bytes");
  const double bytes = found ? *found : former.value_or(0);
  // Without a limit, version 1 reports the largest possible number of whole pages.
  return bytes > 0 && bytes < 0x1p60 ? static_cast<std::uint64_t>(bytes) : control_group::unlimited;
}

std::uint64_t cores_of(const path& folder) {
  double quota = 0, period = 0;
  if (std::ifstream file(folder / "cpu.max"); !(file >> quota >> period)) {
    quota = number_in(folder / "cpu.cfs_quota_us").value_or(0);
    period = number_in(folder / "cpu.cfs_period_us").value_or(0);
  }
  if (!(quota > 0 && period > 0)) return control_group::unlimited;
  return static_cast<std::uint64_t>(std::ceil(quota / period));
}

}  // namespace

template <typename Read>
std::uint64_t control_group::least(std::string_view controller, Read read) const noexcept try {
  std::uint64_t found = unlimited;
  std::ifstream groups(of_process_);
  for (std::string line; std::getline(groups, line);) {
    const auto group = group_of(line, controller);
    if (!group) continue;
    // Version 1 has a folder per controller; a container may see its own group as the root.
    for (const path& root : {mounted_, mounted_ / controller, mounted_ / "unified"})
      for (path above = *group;; above = above.parent_path()) {
        found = std::min(found, read(root / above));
        if (above.empty()) break;
      }
  }
  return found;
} catch (...) {
  return unlimited;
}

std::uint64_t control_group::memory_bytes() const noexcept { return least("memory", memory_of); }

std::uint64_t control_group::cores() const noexcept { return least("cpu", cores_of); }

}  // namespace onehop
