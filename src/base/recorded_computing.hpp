#pragma once
/// What a rank computes is taken from a recording, so that a program on a virtual machine takes the
/// same time in every run.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace onehop {

/// A recorded_computing knows the nanoseconds between two recorded calls by their sites. Each line
/// of its file has them, the first site, which is empty for the beginning, and the second one, with
/// tabs between.
class recorded_computing {
 public:
  /// Reads the file of a rank in `folder`; returns false where it cannot.
  bool read(const std::string& folder, int rank);
  bool empty() const noexcept { return times_.empty(); }

  /// Returns the number of a site that the recording has, and -1 for any other.
  int number_of(const std::string& site) const;
  /// Returns the nanoseconds that lie before a call from a site of this number, once until a call
  /// is noted: 0 after that, and where the recording has none.
  std::int64_t take_before(int site);
  /// Notes that a call from a site of this number has been recorded, or would have been.
  void note(int site);
  /// Says on standard error how many calls followed others than in the recording, if any did.
  void tell_unknown(int rank) const;

 private:
  std::unordered_map<std::string, int> numbers_{{"", 0}};
  std::map<std::pair<int, int>, std::int64_t> times_;
  int last_ = 0;
  bool taken_ = false;
  std::uint64_t unknown_ = 0;  ///< number of calls that followed others than in the recording
};

}  // namespace onehop
