#pragma once
/// How the puts of a chain travel of which some begin or end in a device's memory.
///
/// Such a put is cut into pieces, and piece k of every put is carried by stage k, an exchange of
/// its own on the transport of the job: while one stage is on the wire, devices copy what the next
/// one takes. Where a device writes the target's window itself, the target grants that in each
/// exchange, and a stage carries but the word that it is there. All ranks make the same route of
/// the same description.

#include <optional>
#include <vector>

#include "rma/chain_check.hpp"

namespace onehop {

struct carried_put {
  chain_edge edge;  ///< of the whole chain
  bool from_device, to_device, by_peer;
  std::size_t place;          ///< in a bank of what the target's transport exposes
  std::size_t carried_bytes;  ///< by the transport
  std::size_t piece_bytes;    ///< of each piece but the last
  std::size_t first_stage, pieces;
};

struct put_piece {
  std::size_t first, bytes;
};

/// One rank's part in one stage, and which of its puts and arrivals of the chain these are.
struct stage_plan {
  chain_plan plan;
  std::vector<std::size_t> puts, arrivals;
};

class staged_route {
 public:
  /// Pieces have `block_bytes`, or more where that would be too many.
  staged_route(const chain_description& chain, std::size_t block_bytes);

  const std::vector<carried_put>& puts() const noexcept { return puts_; }
  std::size_t stages() const noexcept { return stages_; }

  /// What of a put stage `stage` carries.
  static std::optional<put_piece> piece(const carried_put& put, std::size_t stage);
  /// `sources` are those of the puts of `rank` for this stage; a put without a piece in it has
  /// none.
  stage_plan plan(std::size_t stage, int rank, const std::vector<local_view>& sources) const;

  bool any_by_peer() const noexcept;
  /// Of the windows that grants go to, per bank and rank.
  std::vector<std::size_t> grant_bytes(int ranks) const;
  /// Puts of one word for each arrival from a peer's device, to its origin: the puts of the plan
  /// are arrivals of the chain, and its arrivals puts.
  stage_plan grants(int rank, int ranks, const local_view& word) const;

 private:
  int banks_;
  std::vector<carried_put> puts_;
  std::size_t stages_ = 1;
  std::vector<std::size_t> window_bytes_;
  /// Per bank and rank; empty for a window that the transport exposes itself.
  std::vector<std::size_t> landing_bytes_;
};

}  // namespace onehop
