#include "dirac/device/halo.hpp"

namespace onehop::device {
namespace {

/// Faces begin on lines of memory.
constexpr std::size_t line = 256;

constexpr int opposite(int direction) { return (direction + 4) % 8; }

}  // namespace

halo::halo(backend& where, const lane_layout& layout, int parity, int reals, std::size_t real_bytes,
           int columns)
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
    // Blocks that a device takes have faces of as many sites on every rank.
    f.place = bytes;
    bytes += (columns * f.received * site_bytes_ + line - 1) / line * line;
    f.list = memory(where, sites.size_bytes());
    queue->copy_in(f.list.data(), sites.data(), sites.size_bytes());
    f.outgoing = memory(where, columns * f.sent * site_bytes_);
  }
  queue->synchronise();
  if (bytes == 0) return;
  ghosts_ = memory(where, bytes);
  chain_.emplace(ctx_, window::register_existing(ctx_, {ghosts_.as<std::byte>(), bytes}));
}

void halo::reshape(stream& copies, int columns) {
  if (columns == columns_) return;
  if (columns_ != 0) {
    synchronise();
    chain_->clear();
  }
  columns_ = columns;
  // The k-th put from A to B pairs with the k-th origin A that B adds, so both sides go through the
  // directions in the sender's order.
  for (int d = 0; d < 8; ++d) {
    const face& f = faces_[d];
    if (f.sent == 0) continue;
    const face& other = faces_[opposite(d)];
    const std::span bytes(f.outgoing.as<std::byte>(), columns * f.sent * site_bytes_);
    chain_->push({local_view::contiguous(bytes), f.neighbour, other.place});
    chain_->add_origin(other.neighbour);
  }
  chain_->set_stream(copies.handle());
  chain_->wait_on_stream();
  chain_->commit();
}

void halo::send(stream& copies, stream& work, const field& in, const rhs_switches& active,
                const std::function<void(const pack_job&)>& pack) {
  reshape(copies, in.columns());
  // The last hop may still read the faces that these put over.
  copies.follow(work);
  for (int d = 0; d < 8; ++d) {
    const face& f = faces_[d];
    if (f.sent == 0) continue;
    pack(
        {in.view(), f.outgoing.data(), f.list.as<std::int32_t>(), f.sent, in.columns(), d, active});
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
  if (columns_ != 0) chain_->synchronise();
}

void halo::find(hop_job& job) const {
  for (int d = 0; d < 8; ++d) {
    job.ghosts[d] = ghosts_.as<std::byte>() + faces_[d].place;
    job.ghost_stride[d] = faces_[d].received;
  }
}

}  // namespace onehop::device
