#pragma once
/// A hop is done here in several ways, to choose between them.

#include <onehop/geometry.hpp>

#include <array>
#include <optional>
#include <string>

#include "benchmarks/operator_rate.hpp"
#include "benchmarks/pinned_team.hpp"
#include "benchmarks/reference_result.hpp"
#include "dirac/hopping.hpp"

namespace onehop::bench {

/// A hop_tuner does hops from even to odd sites and back, with the links, precision and right-hand
/// sides of a cell.
class hop_tuner {
 public:
  /// The constructor is collective, like all members below.
  hop_tuner(const onehop::geometry& geometry, const operator_cell& what);

  /// Returns hop_name of the hop.
  std::string name() const;
  /// Returns the seconds of one hop on the slowest rank, the mean of `count` hops that are done as
  /// `words` say (hop_choice::parse).
  double seconds(const std::string& words, int count);
  /// Returns whether a hop that is done in this way gives the same bits, on every rank, as one that
  /// is done by size.
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
