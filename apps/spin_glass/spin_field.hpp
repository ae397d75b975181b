#pragma once
/// A spin_field has the spins of a rank's block, and the neighbouring spins of other ranks.

#include "checkerboard.hpp"

#include <common/aligned_array.hpp>

#include <onehop/put_chain.hpp>
#include <onehop/window.hpp>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace spin_glass {

/// A face_of is one of the six faces of a block: side 0 is below the block in `direction`, side 1
/// above.
struct face_of {
  int direction, side;
};

/// The field has both colours with three components each, and a chain for each colour that sends
/// its spins to the neighbouring ranks. For a face across z the chain sends the plane of each
/// component from its place in memory, across y its rows, and across x every second row's site,
/// packed. Directions with one rank send nothing.
///
/// Spins are read where they arrived, except for rows across y, which `receive` copies next to the
/// block's rows. If y has one rank, `wrap` copies them.
template <class Real>
class spin_field {
 public:
  /// The constructor is collective.
  explicit spin_field(const checkerboard& block);

  const checkerboard& block() const noexcept { return block_; }
  /// Returns component 0 of a colour; the others lie block().pitch() numbers behind.
  Real* component(int colour) const noexcept {
    return memory_.data() + colour * 3 * block_.pitch();
  }
  std::array<Real, 3> spin(int x, int y, int z) const noexcept;

  /// Sends the faces of a colour, which must not change before `finish`.
  void start(int colour);
  void finish(int colour);
  /// Copies the rows of plane z across y, if one rank has all of y.
  void wrap(int colour, int z) noexcept;

  /// An arrived_face has the spins of a colour that have arrived from a face: across z row by row,
  /// across x those of every second row. Components lie `pitch` apart.
  struct arrived_face {
    const Real* data;
    std::ptrdiff_t pitch;
  };
  arrived_face arrived(int colour, face_of from) const;

 private:
  struct connection {
    onehop::put_slot packed;
    std::array<onehop::notification, 3> arrivals;
  };
  struct links {
    std::optional<onehop::put_chain> chain;
    /// There is a connection for each direction and side.
    std::array<std::array<connection, 2>, 3> faces;
  };

  std::size_t face_numbers(int direction) const;
  void describe(links& of, int colour, std::size_t& offset);
  void send(links& of, int colour, face_of face, int target, std::size_t offset);
  void pack(int colour);
  void receive(int colour);

  checkerboard block_;
  app_common::aligned_array<Real> memory_;
  std::optional<onehop::window> ghosts_;
  std::array<links, 2> links_;
};

}  // namespace spin_glass
