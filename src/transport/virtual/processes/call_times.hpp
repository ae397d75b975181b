#pragma once
/// What a rank computes between two call sites is written to a recording, or taken from one.

#include <map>
#include <string>

#include "base/recorded_computing.hpp"
#include "base/recording_file.hpp"
#include "netsim/machine/time.hpp"
#include "transport/virtual/call_site.hpp"
#include "transport/virtual/processes/shared_block.hpp"

namespace onehop::virtual_machine {

class call_times {
 public:
  /// The folders are those of the environment. Throws usage_error where a recording that is to be
  /// computed as cannot be read.
  call_times(const conductor_block& block, int rank, int ranks);

  /// Notes a call, before which the rank has computed for `computed`; returns for how long it is to
  /// compute.
  picoseconds note(const call_site& site, picoseconds computed);
  /// Notes that the rank leaves.
  void end();

 private:
  /// A known_site has the numbers of a call site in the file, -1 before its first line, and in the
  /// recording that is computed as.
  struct known_site {
    std::int64_t written;
    int recorded;
  };
  known_site& known(const call_site& site);

  int rank_;
  recording_file file_;
  recorded_computing computing_;
  std::map<call_site, known_site> sites_;
};

}  // namespace onehop::virtual_machine
