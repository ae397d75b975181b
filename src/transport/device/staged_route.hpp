#pragma once
/// A staged_route says how the puts of a chain travel where some begin or end in a device's memory.
///
/// Such a put is cut into pieces, and piece k of every put is carried by stage k, an exchange of
/// its own on the transport of the job: while one stage is under way, devices copy what the next
/// one takes. Where a device writes the target's window itself, the target grants that in each
/// exchange, and a stage carries only a word which says that the bytes have arrived. All ranks make
/// the same route from the same description.

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

  /// Returns how many of its bytes are among the first `sent` bytes of its put.
  std::size_t of(std::size_t sent) const noexcept {
    return sent <= first ? 0 : std::min(bytes, sent - first);
  }
};

/// A stage_plan is one rank's part in one stage, with the numbers of its puts and arrivals in the
/// chain.
struct stage_plan {
  chain_plan plan;
  std::vector<std::size_t> puts, arrivals;
};

class staged_route {
 public:
  /// Pieces have `block_bytes` each, or more where that would make too many pieces.
  staged_route(const chain_description& chain, std::size_t block_bytes);

  const std::vector<carried_put>& puts() const noexcept { return puts_; }
  std::size_t stages() const noexcept { return stages_; }

  /// Returns the piece of a put that stage `stage` carries.
  static std::optional<put_piece> piece(const carried_put& put, std::size_t stage);
  /// Makes the plan of a stage; `sources` are those of the puts of `rank` for it, and a put without
  /// a piece in it has none.
  stage_plan plan(std::size_t stage, int rank, const std::vector<local_view>& sources) const;

  bool any_by_peer() const noexcept;
  /// Returns the bytes of the windows that grants go to, per bank, by rank.
  std::vector<std::size_t> grant_bytes(int ranks) const;
  /// Plans puts of one word for each arrival from a peer's device, to its origin: the puts of the
  /// plan are arrivals of the chain, and its arrivals puts.
  stage_plan grants(int rank, int ranks, const local_view& word) const;

 private:
  int banks_;
  std::vector<carried_put> puts_;
  std::size_t stages_ = 1;
  rank_table<std::size_t> window_bytes_;
  /// These are the bytes where puts land first, per bank, by rank; empty for a window that the
  /// transport exposes itself.
  rank_table<std::size_t> landing_bytes_;
};

}  // namespace onehop
