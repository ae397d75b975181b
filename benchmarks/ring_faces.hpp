#pragma once
/// Even faces go to the next rank of a ring, odd ones to the previous rank.
///
///     rank 0  --even-->  rank 1  --even-->  rank 2  --even-->  rank 0
///             <--odd---          <--odd---
///
/// Face f arrives as face f, from the opposite side. With two ranks, all faces connect the same
/// pair; with one, they stay on the rank.

#include <cstddef>
#include <vector>

namespace onehop::bench {

struct ring_faces {
  int rank, size;
  std::vector<std::size_t> bytes;  ///< bytes of each face

  int after() const { return (rank + 1) % size; }
  int before() const { return (rank + size - 1) % size; }
  int target(std::size_t face) const { return face % 2 == 0 ? after() : before(); }
  int origin(std::size_t face) const { return face % 2 == 0 ? before() : after(); }
  std::size_t count() const { return bytes.size(); }

  std::size_t total_bytes() const {
    std::size_t total = 0;
    for (const std::size_t face : bytes) total += face;
    return total;
  }
  /// Returns the distance of face f from face 0 in a ghost area, or of the area's end for f ==
  /// count(). Faces do not share lines, pairs of lines that processors fetch together, or the same
  /// place in a page.
  std::size_t offset(std::size_t face) const {
    std::size_t end = 0;
    for (std::size_t f = 0; f < face; ++f) end += (bytes[f] + 127) / 128 * 128 + 128;
    return end;
  }
};

}  // namespace onehop::bench
