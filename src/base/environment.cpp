#include "base/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <onehop/error.hpp>
#include <vector>

#include "base/text.hpp"
#include "base/words.hpp"

namespace onehop {
namespace {

constexpr std::string_view prefix = "ONEHOP_";

constexpr std::array<environment_variable, 24> table{{
    {"ONEHOP_RANK", "", "0", "number of this process in its job, set by the launcher"},
    {"ONEHOP_SIZE", "", "1", "number of processes of the job, set by the launcher"},
    {"ONEHOP_SEGMENT_FD", "", "", "descriptor of the job's shared memory, set by the launcher"},
    {"ONEHOP_REPORT_FD", "", "", "descriptor for a rank's last words, set by the launcher"},
    {"ONEHOP_JOB", "", "",
     "name of the job in files that it has not finished, set by the launcher"},
    {"ONEHOP_DEADLINE_S", "s", "60",
     "longest time a wait for another rank may last; 3600 under onehop run --mpi"},
    {"ONEHOP_NODE", "", "",
     "name of this process's host under mpirun, to try several hosts on one machine"},
    {"ONEHOP_SIMD", "", "auto", "kernels to use: auto, plain, avx2, avx512, neon"},
    {"ONEHOP_TUNING", "", "tuning.json in the user's cache folder",
     "file that onehop tune writes, and solves, bench and onehop run read"},
    {"ONEHOP_CHANNELS", "", "as tuned",
     "how puts on shm travel by bytes, as demote<=512,prefetch<=65536,plain/streaming"},
    {"ONEHOP_DEVICE_BLOCK", "bytes", "524288",
     "size of the pieces in which puts from and to a device's memory travel through the host"},
    {"ONEHOP_DEVICE_CHANNEL", "", "auto",
     "how puts go from device to device: auto (cuda_ipc, or an MPI that takes addresses) or "
     "staged"},
    {"ONEHOP_DEVICE_PACK", "", "kernel<=65536",
     "who gathers rows that lie apart in a device's memory: rows (its copy engine), kernel, or "
     "kernel for rows of up to so many bytes"},
    {"ONEHOP_MODULE_PATH", "", "", "folders to look for MPI modules in first, apart by colons"},
    {"ONEHOP_RECORDING", "", "",
     "folder that ranks of onehop run --record write to, and libonehop_recorder.so, loaded before "
     "a program of MPI"},
    {"ONEHOP_COMPUTING", "", "",
     "folder of what ranks compute between their calls, which onehop run --compute recorded sets"},
    {"ONEHOP_SELFTEST", "", "", "folder for files of the ranks of onehop selftest, set by it"},
    {"ONEHOP_TEST_DATA", "", "", "folder of the configurations that tests read"},
    {"ONEHOP_TEST_DEVICE", "", "host",
     "where tests of a device's kernels run them: host, or cuda for device 0"},
    {"ONEHOP_CUDA", "", "AUTO",
     "of a build alone: whether the CUDA module is compiled, OFF, ON or AUTO"},
    {"ONEHOP_ISA", "", "native",
     "of a build alone: instruction set of the kernels, native or portable"},
    {"ONEHOP_MPI", "", "AUTO",
     "of a build alone: for which MPIs transports are compiled, AUTO, ON, STANDARD or OFF"},
    {"ONEHOP_MPI_WRAPPERS", "", "those found",
     "of a build alone: MPI compiler wrappers, one for each MPI, with semicolons between"},
    {"ONEHOP_PROGRAMS", "", "ON",
     "of a build alone: whether applications, benchmarks and the libraries of MPI and QMP are "
     "built, ON or OFF"},
}};

constexpr std::array<std::string_view, 5> simd_names{"auto", "plain", "avx2", "avx512", "neon"};

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view expected) {
  throw usage_error(
      text("environment variable ", name, " has the value '", value, "': give ", expected));
}

template <class Number>
Number parse_number(std::string_view name, std::string_view value, Number least, Number most) {
  const auto number = number_from<Number>(value);
  // The comparison is written so that NaN fails too.
  if (!number || !(*number >= least && *number <= most))
    refuse(name, value, text("a number from ", least, " to ", most));
  return *number;
}

void set_device_pack(environment& result, std::string_view value) {
  constexpr std::string_view name = "ONEHOP_DEVICE_PACK", by_length = "kernel<=";
  constexpr std::size_t most = std::size_t{1} << 40;
  result.device_pack_chosen = true;
  if (value.starts_with(by_length)) {
    result.device_pack = parse_number(name, value.substr(by_length.size()), std::size_t{1}, most);
  } else {
    if (value != "rows" && value != "kernel") refuse(name, value, "rows, kernel or kernel<=BYTES");
    result.device_pack = value == "rows" ? 0 : most;
  }
}

void set(environment& result, std::string_view name, std::string_view value) {
  constexpr int most_ranks = 1 << 20;
  if (name == "ONEHOP_RANK") result.rank = parse_number(name, value, 0, most_ranks);
  if (name == "ONEHOP_SIZE") result.size = parse_number(name, value, 1, most_ranks);
  if (name == "ONEHOP_SEGMENT_FD") result.segment_fd = parse_number(name, value, 0, 1 << 30);
  if (name == "ONEHOP_REPORT_FD") result.report_fd = parse_number(name, value, 0, 1 << 30);
  if (name == "ONEHOP_DEADLINE_S") {
    const std::chrono::duration<double> seconds(parse_number(name, value, 1e-3, 1e6));
    result.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(seconds);
  }
  if (name == "ONEHOP_DEVICE_BLOCK")
    result.device_block = parse_number(name, value, std::size_t{1}, std::size_t{1} << 40);
  if (name == "ONEHOP_DEVICE_CHANNEL") {
    if (value != "auto" && value != "staged") refuse(name, value, "auto or staged");
    result.device_channel = value;
  }
  if (name == "ONEHOP_DEVICE_PACK") set_device_pack(result, value);
  if (name == "ONEHOP_NODE") {
    constexpr std::size_t longest_node = 63;
    if (value.size() > longest_node) refuse(name, value, "at most 63 letters");
    result.node = value;
  }
  if (name == "ONEHOP_CHANNELS") result.channels = value;
  if (name == "ONEHOP_RECORDING") result.recording = value;
  if (name == "ONEHOP_COMPUTING") result.computing = value;
  if (name == "ONEHOP_MODULE_PATH") result.module_path = value;
  if (name == "ONEHOP_TUNING") result.tuning = value;
  if (name == "ONEHOP_SIMD") {
    if (std::ranges::find(simd_names, value) == simd_names.end())
      refuse(name, value, "auto, plain, avx2, avx512 or neon");
    result.simd = value;
  }
}

[[noreturn]] void refuse_unknown(std::string_view name) {
  std::array<std::string_view, table.size()> names;
  std::ranges::transform(table, names.begin(), &environment_variable::name);
  throw usage_error(text("environment variable ", name, " is not known: did you mean ",
                         nearest_name(name, names), "? Unset it otherwise"));
}

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// A word that is a prefix of the name, or extends it, counts as meant: by edits alone, prec would
/// be nearer to other words of five letters than to precision.
std::size_t distance(std::string_view name, std::string_view candidate) {
  const std::size_t common = std::min(name.size(), candidate.size());
  const bool one_begins_the_other =
      common >= 3 && name.substr(0, common) == candidate.substr(0, common);
  return one_begins_the_other ? 0 : edits(name, candidate);
}

}  // namespace

std::span<const environment_variable> known_environment() noexcept { return table; }

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  return *std::ranges::min_element(
      known, {}, [&](std::string_view candidate) { return distance(name, candidate); });
}

environment environment::parse(std::span<const std::string_view> variables) {
  environment result;
  for (const std::string_view variable : variables) {
    if (!variable.starts_with(prefix)) continue;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (std::ranges::find(table, name, &environment_variable::name) == table.end())
      refuse_unknown(name);
    if (name.size() < variable.size()) set(result, name, variable.substr(name.size() + 1));
  }
  return result;
}

environment environment::read() {
  std::vector<std::string_view> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  return parse(variables);
}

}  // namespace onehop
