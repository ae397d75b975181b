#include <onehop/alltoall.hpp>

#include <onehop/error.hpp>

#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "rma/block_round.hpp"
#include "rma/mirrored.hpp"
#include "transport/base/transport.hpp"

namespace onehop {

alltoall_schedule alltoall_schedule_named(std::string_view name) {
  if (name == "pairwise") return alltoall_schedule::pairwise;
  if (name == "dissemination") return alltoall_schedule::dissemination;
  if (name == "staged") return alltoall_schedule::staged;
  throw usage_error(
      text("alltoall schedule '", name, "' is not known; give pairwise, dissemination or staged"));
}

std::vector<std::vector<alltoall::hop>> alltoall::plan(int ranks, alltoall_schedule schedule) {
  if (ranks == 1 || schedule == alltoall_schedule::staged) return {};
  if (schedule == alltoall_schedule::pairwise) {
    std::vector<hop> all;
    for (int distance = 1; distance < ranks; ++distance) all.push_back({distance, {distance}});
    return {all};
  }
  std::vector<std::vector<hop>> rounds;
  for (int distance = 1; distance < ranks; distance *= 2) {
    hop half{distance, {}};
    for (int block = distance; block < ranks; ++block) {
      if ((block & distance) != 0) half.blocks.push_back(block);
    }
    rounds.push_back({half});
  }
  return rounds;
}

alltoall::alltoall(const context& ctx, std::size_t block_bytes, alltoall_schedule schedule)
    : ctx_(ctx),
      block_bytes_(block_bytes),
      is_staged_(schedule == alltoall_schedule::staged),
      is_by_pairs_(schedule == alltoall_schedule::pairwise &&
                   std::has_single_bit(static_cast<unsigned>(ctx.size()))),
      blocks_(static_cast<std::size_t>(ctx.size())) {
  if (block_bytes == 0) {
    throw usage_error(text("rank ", ctx.rank(),
                           ": an alltoall of blocks of 0 bytes: give the size "
                           "of what each rank sends to each"));
  }
  if (is_staged_) make_pieces();
  const auto rounds = plan(ctx.size(), schedule);
  std::size_t bytes = 0;
  if (rounds.empty()) return;
  for (const auto& hops : rounds) {
    for (const hop& h : hops) bytes += h.blocks.size() * block_bytes;
  }
  const window memory = window::allocate(ctx, bytes);
  std::size_t offset = 0;
  for (const auto& hops : rounds) rounds_.push_back(make_round(memory, hops, offset));
}

int alltoall::target_of(int distance) const noexcept {
  return is_by_pairs_ ? ctx_.rank() ^ distance : (ctx_.rank() + distance) % ctx_.size();
}

int alltoall::origin_of(int distance) const noexcept {
  return is_by_pairs_ ? ctx_.rank() ^ distance
                      : (ctx_.rank() + ctx_.size() - distance) % ctx_.size();
}

alltoall::round alltoall::make_round(const window& memory, const std::vector<hop>& hops,
                                     std::size_t& offset) const {
  round r{put_chain(ctx_, memory), {}};
  for (const hop& h : hops) {
    const std::size_t bytes = h.blocks.size() * block_bytes_;
    const put_slot slot = r.chain.push(put::packed(bytes, target_of(h.distance), offset));
    r.messages.push_back({h.blocks, slot, r.chain.add_origin(origin_of(h.distance))});
    offset += bytes;
  }
  r.chain.take_turns();
  r.chain.commit();
  return r;
}

void alltoall::carry(round& r) {
  for (const message& m : r.messages) {
    std::byte* target = r.chain.target_view(m.slot).data();
    for (const int block : m.blocks) {
      copy_bytes(target, blocks_[block], block_bytes_);
      target += block_bytes_;
    }
  }
  r.chain.start();
  r.chain.wait();
  for (const message& m : r.messages) {
    const std::byte* arrived = r.chain.arrived(m.arrival).data();
    for (const int block : m.blocks) {
      blocks_[block] = arrived;
      arrived += block_bytes_;
    }
  }
}

void alltoall::run(std::span<const std::byte> send, std::span<std::byte> receive) {
  const auto ranks = static_cast<std::size_t>(ctx_.size());
  const auto rank = static_cast<std::size_t>(ctx_.rank());
  const std::size_t wanted = ranks * block_bytes_;
  if (send.size() != wanted || receive.size() != wanted) {
    throw usage_error(text("rank ", rank, ": alltoall of ", send.size(), " bytes into ",
                           receive.size(), ": ", ranks, " blocks of ", block_bytes_, " are ",
                           wanted, " bytes each"));
  }
  if (run_mirrored(ctx_, {read_part(send), written_part(receive)},
                   [&](const device_mirror& on) { run(on.host(0), on.host(1)); }))
    return;
  if (is_staged_) return run_staged(send, receive);
  const auto place = [&](int of) { return static_cast<std::size_t>(of) * block_bytes_; };
  for (int k = 0; k < ctx_.size(); ++k) blocks_[k] = send.data() + place(target_of(k));
  for (round& r : rounds_) carry(r);
  for (int k = 0; k < ctx_.size(); ++k)
    copy_bytes(receive.data() + place(origin_of(k)), blocks_[k], block_bytes_);
}

void alltoall::make_pieces() {
  const auto ranks = static_cast<std::size_t>(ctx_.size());
  const std::size_t most = bootstrap_of(ctx_).round_bytes() / ranks;
  if (most == 0)
    throw usage_error(text("rank ", ctx_.rank(), ": a staged alltoall of ", counted(ranks, "rank"),
                           " does not fit the ", bootstrap_of(ctx_).round_bytes(),
                           " bytes of a round of this transport; use another schedule"));
  if (most < block_bytes_) piece_.resize(2 * ranks * most);
}

/// Exchanges all blocks in pieces, each as long as a message of a round may be.
void alltoall::run_staged(std::span<const std::byte> send, std::span<std::byte> receive) {
  const auto ranks = static_cast<std::size_t>(ctx_.size());
  const std::size_t most = std::min(block_bytes_, bootstrap_of(ctx_).round_bytes() / ranks);
  if (most == block_bytes_) return exchange_blocks(ctx_, send, receive);
  for (std::size_t done = 0; done < block_bytes_; done += most) {
    const std::size_t bytes = std::min(most, block_bytes_ - done);
    const std::span<std::byte> out(piece_.data(), ranks * bytes);
    const std::span<std::byte> in(piece_.data() + ranks * most, ranks * bytes);
    for (std::size_t k = 0; k < ranks; ++k)
      copy_bytes(out.data() + k * bytes, send.data() + k * block_bytes_ + done, bytes);
    exchange_blocks(ctx_, out, in);
    for (std::size_t k = 0; k < ranks; ++k)
      copy_bytes(receive.data() + k * block_bytes_ + done, in.data() + k * bytes, bytes);
  }
}

}  // namespace onehop
