#pragma once
/// The halo exchanges of peers have in common that faces are written to and read from their own
/// memory.

#include <span>

#include "benchmarks/page_memory.hpp"
#include "benchmarks/ring_faces.hpp"

namespace onehop::bench {

class own_faces {
 public:
  explicit own_faces(const ring_faces& faces)
      : faces_(faces), sent_(faces.offset(faces.count())), received_(faces.offset(faces.count())) {
    for (std::size_t f = 0; f <= faces.count(); ++f) offsets_.push_back(faces.offset(f));
  }

  const ring_faces& faces() const { return faces_; }
  std::string describe() const { return {}; }
  std::span<std::byte> sending(std::size_t f) const {
    return {sent_.at(offsets_[f]), faces_.bytes[f]};
  }
  std::span<const std::byte> received(std::size_t f) const {
    return {received_.at(offsets_[f]), faces_.bytes[f]};
  }
  void release() {}
  static constexpr bool streams() { return false; }

 protected:
  /// Returns the bytes of all faces, one after the other.
  std::size_t area() const { return offsets_.back(); }

  ring_faces faces_;
  page_memory sent_, received_;
  std::vector<std::size_t> offsets_;
};

}  // namespace onehop::bench
