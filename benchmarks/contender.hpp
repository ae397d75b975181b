#pragma once
/// A contender is one of several ways to do the same step.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/timed_block.hpp"

namespace onehop::bench {

/// Every call is collective: all ranks make the same calls.
class contender {
 public:
  virtual ~contender() = default;

  virtual std::string name() const = 0;
  /// Returns the family. Of contenders that share a family, only the fastest are measured to the
  /// end; a contender with an empty family is always measured.
  virtual std::string family() const { return {}; }
  /// Runs `steps` steps, one after the other, without allocation; this is the timed call.
  virtual void run(std::uint64_t steps) = 0;
  virtual timed_block time(std::uint64_t steps) { return time_block(*this, steps); }
  /// Runs the same steps and compares every byte, outside the timed region.
  virtual void run_checked(std::uint64_t steps) = 0;
  /// Returns how many wrong bytes this rank has received in all steps so far.
  virtual std::uint64_t wrong() const = 0;

  /// Returns why the contender can do no more steps on this rank; empty while it can.
  virtual std::string failure() const { return {}; }
  /// Marks that the contender does no more steps, because it failed on another rank.
  virtual void fail(const std::string&) {}

  /// Returns the bytes that a rank sends in a step.
  virtual std::size_t bytes() const = 0;
  /// Returns the number of transfers of a step that wait for each other: 2 for a ping and a pong.
  virtual int hops() const { return 1; }
  /// Describes how the bytes move, for the record.
  virtual std::string describe() const { return {}; }
};

using contenders = std::vector<std::unique_ptr<contender>>;

}  // namespace onehop::bench
