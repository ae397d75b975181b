#pragma once
/// One way to do a step, among others that do the same step.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/timed_block.hpp"

namespace onehop::bench {

/// Every call is collective: all ranks make it alike.
class contender {
 public:
  virtual ~contender() = default;

  virtual std::string name() const = 0;
  /// Of contenders that share one, only the fastest are followed to the end; empty follows always.
  virtual std::string family() const { return {}; }
  /// The timed call: so many steps, one after the other, without allocation.
  virtual void run(std::uint64_t steps) = 0;
  virtual timed_block time(std::uint64_t steps) { return time_block(*this, steps); }
  /// The same steps with every byte compared; for outside of the timed region.
  virtual void run_checked(std::uint64_t steps) = 0;
  /// Bytes that were not as sent, seen by this rank in all steps so far.
  virtual std::uint64_t wrong() const = 0;

  /// Bytes that a rank sends in a step.
  virtual std::size_t bytes() const = 0;
  /// Transfers of a step that wait for each other: 2 for a ping and a pong.
  virtual int hops() const { return 1; }
  /// How the bytes move, for the record.
  virtual std::string describe() const { return {}; }
};

using contenders = std::vector<std::unique_ptr<contender>>;

}  // namespace onehop::bench
