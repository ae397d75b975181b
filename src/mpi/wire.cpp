#include "mpi/wire.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "mpi/shared_file.hpp"

namespace onehop::mpi_abi {

wire::wire(const context& ctx)
    : ctx_(ctx), rank_(ctx.rank()), mail_(transport_of(ctx).open_mail()), ended_(ctx.size() == 1) {
  if (!mail_) map_rings();
}

/// Each rank provides memory for a word that tells whether it is present, and for the rings that it
/// reads.
void wire::map_rings() {
  const ring_shape shape = ring_shape::of_job(ctx_.size());
  const auto ranks = static_cast<std::size_t>(ctx_.size());
  const std::size_t share = pair_of_lines + ranks * shape.bytes();
  shared_file file;
  if (rank_ == 0) file = shared_file::make(ranks * share);
  broadcast(ctx_, std::as_writable_bytes(std::span(&file, 1)));
  together(ctx_, [&] {
    memory_ = file.map(ranks * share);
    if (!memory_)
      throw resource_error(text("rank ", rank_, " of ", ranks, " has no shared memory of ",
                                ranks * share, " bytes for messages: see that process ",
                                file.process, " has it and that /proc/", file.process,
                                "/fd can be read"));
  });
  if (rank_ == 0) file.close();
  const auto ring_of = [&](std::size_t writer, std::size_t reader) {
    return memory_.get() + reader * share + pair_of_lines + writer * shape.bytes();
  };
  const auto mine = static_cast<std::size_t>(rank_);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    present_.push_back(reinterpret_cast<std::atomic<std::uint32_t>*>(memory_.get() + rank * share));
    out_.emplace_back(ring_of(mine, rank), shape);
    in_.emplace_back(ring_of(rank, mine), shape);
  }
  most_payload_ = shape.most_payload();
  most_at_once_ = shape.payload_bytes / 4;
}

/// The receiver copies one part while the next is written, which is faster only if a message has
/// several parts. Each part costs one cache-line transfer, so long messages have longer parts.
std::size_t wire::most_of_part(std::size_t bytes) const noexcept {
  constexpr std::size_t shortest = std::size_t{1} << 13, of_message = 8;
  return mail_ ? most_payload_ : std::min(std::max(bytes / of_message, shortest), most_payload_);
}

bool wire::try_send(int to, const packet_header& header, std::span<const std::byte> payload,
                    const modelled_message& stands_for) {
  if (closed_) return true;
  const bool has_left =
      mail_ ? mail_->try_send(to, std::as_bytes(std::span(&header, 1)), payload, stands_for)
            : out_[static_cast<std::size_t>(to)].try_send(header, payload);
  if (has_left && header.what != packet_header::standing) ++sent_;
  return has_left;
}

/// Each ring carries its own end. With mail, each rank tells the first rank of its end after all
/// its packets have arrived. The first rank tells all ranks when it has heard from every one.
bool wire::try_close() {
  closed_ = true;
  if (!mail_) return try_close_rings();
  if (said_end_) return true;
  if (!mail_->all_came()) return false;
  said_end_ = true;
  if (rank_ == 0)
    note_end();
  else
    send_end(0);
  return true;
}

bool wire::try_close_rings() {
  for (; told_ < ctx_.size(); ++told_)
    if (told_ != rank_ &&
        !out_[static_cast<std::size_t>(told_)].try_send({.what = packet_header::end}, {}))
      return false;
  return true;
}

void wire::note_end() {
  ++ends_;
  if (!mail_) {
    ended_ = ends_ == ctx_.size() - 1;
    return;
  }
  if (rank_ == 0 && ends_ < ctx_.size()) return;
  ended_ = true;
  for (int rank = 1; rank_ == 0 && rank < ctx_.size(); ++rank) send_end(rank);
}

void wire::send_end(int to) {
  // There is space, since no packet of this rank is in flight.
  const packet_header header{.what = packet_header::end};
  mail_->try_send(to, std::as_bytes(std::span(&header, 1)), {}, {modelled_message::nothing});
}

}  // namespace onehop::mpi_abi
