#pragma once
/// Faces on their way to the ranks that read them.

#include "dirac/isa/fetch.hpp"
#include "dirac/isa/simd.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

constexpr int backward_of(int direction) { return (direction + 4) % 8; }

/// Writes the lanes that lie on the face, and returns where the next go. All of them do where the
/// lanes do not split the direction.
template <class V>
ONEHOP_INLINE typename V::real* leave_lanes(typename V::real* out, V value, const pack_job& job) {
  if (job.face_lanes == V::lanes) {
    job.streaming ? value.stream(out) : value.store_unaligned(out);
  } else {
    for (int l = 0; l < job.face_lanes; ++l) out[l] = value.v[job.lanes[l]];
  }
  return out + job.face_lanes;
}

/// The receiver in `Direction` sees these sites in the opposite direction.
template <template <int> class Site, int Direction, class V>
void pack_face(const pack_job& job) {
  using site = Site<backward_of(Direction)>;
  auto* out = static_cast<typename V::real*>(job.out);
  for (std::int32_t i = 0; i < job.count; ++i) {
    for (int rhs = 0; rhs < job.rhs; ++rhs) {
      complex_simd<V> face[site::face_components];
      read_face<site>(face, job.in, job.fixed, std::ptrdiff_t{job.vectors[i]} * job.rhs + rhs);
      for (const auto& component : face) {
        out = leave_lanes(out, component.re, job);
        out = leave_lanes(out, component.im, job);
      }
    }
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
