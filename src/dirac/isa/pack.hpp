#pragma once
/// This file packs faces for the ranks that read them.

#include "dirac/isa/fetch.hpp"
#include "dirac/isa/simd.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

constexpr int backward_of(int direction) { return (direction + 4) % 8; }

/// whole_vectors is for a layout that does not split the face's direction, so that all lanes lie on
/// the face.
template <class V, bool Streaming>
struct whole_vectors {
  using real = typename V::real;

  ONEHOP_INLINE explicit whole_vectors(const pack_job&) {}
  ONEHOP_INLINE real* leave(real* out, V value) const {
    Streaming ? value.stream(out) : value.store_unaligned(out);
    return out + V::lanes;
  }
};

/// some_lanes is for a layout in which only some lanes lie on the face.
template <class V>
class some_lanes {
 public:
  using real = typename V::real;

  ONEHOP_INLINE explicit some_lanes(const pack_job& job)
      : lanes_(job.lanes), count_(job.face_lanes) {}
  ONEHOP_INLINE real* leave(real* out, V value) const {
    for (int l = 0; l < count_; ++l) out[l] = value.v[lanes_[l]];
    return out + count_;
  }

 private:
  const std::int32_t* lanes_;
  int count_;
};

template <class Site, class V, class Lanes>
ONEHOP_INLINE void pack_lanes(const pack_job& job) {
  const Lanes lanes(job);
  // The job is copied, because the compiler has to assume that stores change it.
  const pack_job is = job;
  auto* out = static_cast<typename V::real*>(is.out);
  for (std::int32_t i = 0; i < is.count; ++i) {
    for (int rhs = 0; rhs < is.rhs; ++rhs) {
      complex_simd<V> face[Site::face_components];
      read_face<Site>(face, is.in, is.fixed, std::ptrdiff_t{is.vectors[i]} * is.rhs + rhs);
      for (const auto& component : face) {
        out = lanes.leave(out, component.re);
        out = lanes.leave(out, component.im);
      }
    }
  }
}

/// The receiver in `Direction` sees these sites in the opposite direction.
template <template <int> class Site, int Direction, class V>
void pack_face(const pack_job& job) {
  using site = Site<backward_of(Direction)>;
  if (job.face_lanes < V::lanes) {
    pack_lanes<site, V, some_lanes<V>>(job);
  } else if (job.streaming) {
    pack_lanes<site, V, whole_vectors<V, true>>(job);
  } else {
    pack_lanes<site, V, whole_vectors<V, false>>(job);
  }
}

template <template <int> class Site, class V>
void pack(const pack_job& job) {
  using packer = void (*)(const pack_job&);
  constexpr packer packers[] = {pack_face<Site, 0, V>, pack_face<Site, 1, V>, pack_face<Site, 2, V>,
                                pack_face<Site, 3, V>, pack_face<Site, 4, V>, pack_face<Site, 5, V>,
                                pack_face<Site, 6, V>, pack_face<Site, 7, V>};
  packers[job.direction](job);
}

}  // namespace
}  // namespace onehop
