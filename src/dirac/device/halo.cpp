#include "dirac/device/halo.hpp"

namespace onehop::device {
namespace {

/// Faces begin at multiples of this many bytes.
constexpr std::size_t line = 256;

constexpr int opposite(int direction) { return (direction + 4) % 8; }

}  // namespace

halo::halo(backend& where, const lane_layout& layout, int parity, int reals, std::size_t real_bytes,
           int rhs)
    : ctx_(layout.geometry().context()), site_bytes_(reals * real_bytes) {
  const geometry& geometry = layout.geometry();
  const auto queue = where.make_stream();
  std::size_t bytes = 0;
  for (int d = 0; d < 8; ++d) {
    if (!geometry.distributed(d % 4)) continue;
    face& f = faces_[d];
    const auto sites = layout.face_vectors(parity, d);
    f.sent = static_cast<std::int32_t>(sites.size());
    f.received = layout.ghost_entries(parity, d);
    f.neighbour = geometry.neighbour(d % 4, d < 4 ? 1 : -1);
    // In blocks that a device accepts, corresponding faces have equally many sites on every rank.
    f.place = bytes;
    bytes += (rhs * bytes_of(f.received) + line - 1) / line * line;
    f.list = memory(where, sites.size_bytes());
    queue->copy_in(f.list.data(), sites.data(), sites.size_bytes());
    f.outgoing = memory(where, rhs * bytes_of(f.sent));
  }
  queue->synchronise();
  if (bytes == 0) return;
  ghosts_ = memory(where, bytes);
  window_ = window::register_existing(ctx_, {ghosts_.as<std::byte>(), bytes});
}

void halo::reshape(stream& copies, int rhs) {
  if (rhs == rhs_) return;
  synchronise();
  rhs_ = rhs;
  std::array<face_route, 8> routes;
  for (int d = 0; d < 8; ++d) {
    const face &f = faces_[d], &other = faces_[opposite(d)];
    const std::span bytes(f.outgoing.as<std::byte>(), rhs * bytes_of(f.sent));
    routes[d] = {f.neighbour, other.neighbour, local_view::contiguous(bytes),
                 rhs * bytes_of(other.received), other.place};
  }
  chain_.emplace(ctx_, *window_, routes, face_chain_options{copies.handle(), true});
}

void halo::send(stream& copies, stream& work, const field& in, const rhs_switches& active,
                const std::function<void(const pack_job&)>& pack) {
  reshape(copies, in.rhs());
  // The copies wait for the work, since the last hop may still read the faces that these puts
  // overwrite.
  copies.follow(work);
  for (int d = 0; d < 8; ++d) {
    const face& f = faces_[d];
    if (f.sent == 0) continue;
    pack({in.view(), f.outgoing.data(), f.list.as<std::int32_t>(), f.sent, in.rhs(), d, active});
  }
  chain_->start();
}

void halo::receive(stream& copies, stream& work) {
  const auto begin = ctx_.now();
  chain_->wait();
  waited_ += ctx_.now() - begin;
  work.follow(copies);
}

void halo::synchronise() {
  if (chain_) chain_->synchronise();
}

void halo::find(hop_job& job) const {
  for (int d = 0; d < 8; ++d) {
    job.ghosts[d] = ghosts_.as<std::byte>() + faces_[d].place;
    job.ghost_sites[d] = padded_sites(faces_[d].received);
  }
}

}  // namespace onehop::device
