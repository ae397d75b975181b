#include "dirac/device/halo.hpp"

#include <cstring>

namespace onehop::device {
namespace {

constexpr auto on_host = memory::place::host;

}  // namespace

halo::halo(backend& where, const lane_layout& layout, int parity, int reals, std::size_t real_bytes)
    : ctx_(layout.geometry().context()),
      site_bytes_(reals * real_bytes),
      exchange_(layout, parity, site_bytes_) {
  const auto queue = where.make_stream();
  for (int d = 0; d < 8; ++d) {
    if (!layout.geometry().distributed(d % 4)) continue;
    face& f = faces_[d];
    const auto sites = layout.face_vectors(parity, d);
    f.sent = static_cast<std::int32_t>(sites.size());
    f.received = layout.ghost_entries(parity, d);
    f.list = memory(where, sites.size_bytes());
    queue->copy_in(f.list.data(), sites.data(), sites.size_bytes());
    f.outgoing = memory(where, f.sent * site_bytes_);
    f.staging = memory(where, f.sent * site_bytes_, on_host);
    f.ghost = memory(where, f.received * site_bytes_);
    f.landing = memory(where, f.received * site_bytes_, on_host);
  }
  queue->synchronise();
}

void halo::pack(stream& copies, stream& work, const field_view& in,
                const std::function<void(const pack_job&)>& pack) {
  copies.follow(work);
  for (int d = 0; d < 8; ++d) {
    const face& f = faces_[d];
    if (f.sent == 0) continue;
    pack({in, f.outgoing.data(), f.list.as<std::int32_t>(), f.sent, d});
    copies.copy_out(f.staging.data(), f.outgoing.data(), f.sent * site_bytes_);
  }
}

void halo::exchange(stream& copies, stream& work) {
  copies.synchronise();
  exchange_.start([&](int direction, std::byte* target) {
    const face& f = faces_[direction];
    std::memcpy(target, f.staging.data(), f.sent * site_bytes_);
  });
  const auto begin = ctx_.now();
  exchange_.wait();
  waited_ += ctx_.now() - begin;
  for (int d = 0; d < 8; ++d) {
    const face& f = faces_[d];
    if (f.received == 0) continue;
    // The window may be written again from the next start on, and the device reads when it likes.
    std::memcpy(f.landing.data(), exchange_.ghost(d), f.received * site_bytes_);
    copies.copy_in(f.ghost.data(), f.landing.data(), f.received * site_bytes_);
  }
  work.follow(copies);
}

void halo::find(hop_job& job) const {
  for (int d = 0; d < 8; ++d) {
    job.ghosts[d] = faces_[d].ghost.data();
    job.ghost_stride[d] = faces_[d].received;
  }
}

}  // namespace onehop::device
