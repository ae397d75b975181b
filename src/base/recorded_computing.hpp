#pragma once
/// Computing times are taken from a recording, so that a program on a virtual machine takes the
/// same time in every run.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace onehop {

/// A recorded_computing knows the nanoseconds between two recorded calls, by their call sites. Each
/// line of its file has the nanoseconds, the first site (empty for the beginning) and the second
/// site, separated by tabs.
class recorded_computing {
 public:
  /// Reads the file of a rank in `folder`; returns false if it cannot.
  bool read(const std::string& folder, int rank);
  bool empty() const noexcept { return times_.empty(); }

  /// Returns the number of a site that the recording contains, or -1 for any other site.
  int number_of(const std::string& site) const;
  /// Returns the nanoseconds computed before a call from the site with this number. They are
  /// returned once until a call is noted; after that, and if the recording has none, the result is
  /// 0.
  std::int64_t take_before(int site);
  /// Notes that a call from the site with this number has been recorded, or would have been.
  void note(int site);
  /// Reports on standard error how many calls had another predecessor than in the recording, if
  /// any.
  void tell_unknown(int rank) const;

 private:
  std::unordered_map<std::string, int> numbers_{{"", 0}};
  std::map<std::pair<int, int>, std::int64_t> times_;
  int last_ = 0;
  bool taken_ = false;
  std::uint64_t unknown_ = 0;  ///< number of calls with another predecessor than in the recording
};

}  // namespace onehop
