#pragma once
/// Hops done in one way or another, to choose between them.

#include <onehop/geometry.hpp>

#include <array>
#include <optional>
#include <string>

#include "benchmarks/operator_rate.hpp"
#include "benchmarks/pinned_team.hpp"
#include "benchmarks/reference_result.hpp"
#include "dirac/hopping.hpp"

namespace onehop::bench {

/// Hops from even to odd sites and back, of the links, numbers and right-hand sides of a cell.
class hop_tuner {
 public:
  /// Collective, as all that follows.
  hop_tuner(const onehop::geometry& geometry, const operator_cell& what);

  /// hop_name
  std::string name() const;
  /// Of one hop by the slowest rank, the mean of `count`, done as `words` say (hop_choice::parse).
  double seconds(const std::string& words, int count);
  /// Whether a hop that is done so gives the bits of one that is done by size, on every rank.
  bool same_bits(const std::string& words);

 private:
  void run(int count);

  operator_cell cell_;
  pinned_team threads_;
  bench_links bench_;
  hop_links links_;
  lane_layout layout_;
  hopping hop_;
  lane_field in_, out_, back_;
};

}  // namespace onehop::bench
