#pragma once
/// What a rank computes is taken from a recording, so that a program on a virtual machine takes the
/// same time in every run.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace onehop::recorder {

/// A recorded_computing knows the nanoseconds between two recorded calls by their sites. Each line
/// of its file has them, the first site, which is empty for the beginning, and the second one, with
/// tabs between.
class recorded_computing {
 public:
  /// Reads the file; says false where it cannot.
  bool read(const std::string& name);
  bool empty() const noexcept { return times_.empty(); }

  /// Lets the time pass on the rank's processor that lies before a call from `site`, once until
  /// the next line.
  void pass(const void* site);
  /// Notes that the call from `site` has made a line of a recording.
  void note(const void* site);
  /// Returns how many lines followed others than in the recording.
  std::uint64_t unknown() const noexcept { return unknown_; }

 private:
  int number_of(const void* site);

  std::unordered_map<std::string, int> numbers_{{"", 0}};
  std::unordered_map<const void*, int> sites_;
  std::map<std::pair<int, int>, std::int64_t> times_;
  int last_ = 0;
  bool passed_ = false;
  std::uint64_t unknown_ = 0;
};

/// Names an address by the file that it is in and its place there, which are the same in all ranks.
std::string place_of(const void* address);

}  // namespace onehop::recorder
