#pragma once
/// A staged_route says how the puts of a chain travel if some begin or end in a device's memory.
///
/// Such a put is cut into pieces. Stage k, a separate exchange on the transport of the job, carries
/// piece k of every put. While one stage is under way, devices copy the pieces of the next. If a
/// device writes the target's window itself, the target grants this in each exchange, and a stage
/// carries only a word that says that the bytes have arrived. All ranks make the same route from
/// the same description.

#include <algorithm>
#include <optional>
#include <vector>

#include "rma/chain_description.hpp"
#include "transport/base/chain_plan.hpp"

namespace onehop {

struct carried_put {
  chain_edge edge;  ///< the put in the whole chain
  bool from_device, to_device, by_peer;
  std::size_t place;          ///< offset in a bank of what the target's transport exposes
  std::size_t carried_bytes;  ///< bytes that the transport carries
  std::size_t piece_bytes;    ///< bytes of each piece but the last
  std::size_t first_stage, pieces;
};

struct put_piece {
  std::size_t first, bytes;

  /// Returns how many of the piece's bytes are among the first `sent` bytes of its put.
  std::size_t of(std::size_t sent) const noexcept {
    return sent <= first ? 0 : std::min(bytes, sent - first);
  }
};

/// A stage_plan is one rank's part in one stage, with its puts' and arrivals' numbers in the chain.
struct stage_plan {
  chain_plan plan;
  std::vector<std::size_t> puts, arrivals;
};

class staged_route {
 public:
  /// Pieces have `block_bytes` each, or more if that would make too many pieces.
  staged_route(const chain_description& chain, std::size_t block_bytes);

  const std::vector<carried_put>& puts() const noexcept { return puts_; }
  std::size_t stages() const noexcept { return stages_; }

  /// Returns the piece of a put that stage `stage` carries.
  static std::optional<put_piece> piece(const carried_put& put, std::size_t stage);
  /// Makes the plan of a stage. `sources` are the sources of the puts of `rank` in it; a put
  /// without a piece in this stage has none.
  stage_plan plan(std::size_t stage, int rank, const std::vector<local_view>& sources) const;

  bool any_by_peer() const noexcept;
  /// Returns for each rank the bytes per bank of the windows to which grants go.
  std::vector<std::size_t> grant_bytes(int ranks) const;
  /// Plans a put of one word to the origin of each arrival that a peer's device writes. The puts of
  /// this plan are arrivals of the chain, and its arrivals are puts of the chain.
  stage_plan grants(int rank, int ranks, const local_view& word) const;

 private:
  int banks_;
  std::vector<carried_put> puts_;
  std::size_t stages_ = 1;
  rank_table<std::size_t> window_bytes_;
  /// These are the bytes per bank, by rank, of the memory where puts land first. They are empty for
  /// a window that the transport exposes itself.
  rank_table<std::size_t> landing_bytes_;
};

}  // namespace onehop
