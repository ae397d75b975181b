#include "transport/stores/control_block.hpp"

#include <algorithm>
#include <cstring>
#include <onehop/error.hpp>
#include <onehop/machine.hpp>

#include "base/text.hpp"

namespace onehop::stores {

void failure_record::write(int failed_rank, std::string_view why) noexcept {
  std::uint32_t expected = none;
  if (!state.compare_exchange_strong(expected, being_written, std::memory_order_relaxed)) return;
  rank = failed_rank;
  const std::size_t length = std::min(why.size(), reason.size() - 1);
  std::copy_n(why.data(), length, reason.data());
  reason[length] = '\0';
  std::replace(reason.data(), reason.data() + length, '\n', ' ');
  // Release is needed, so that whoever sees `written` sees rank and reason.
  state.store(written, std::memory_order_release);
}

std::string failure_record::message() const {
  if (rank < 0) return reason.data();
  return text("rank ", rank, " failed: ", reason.data());
}

std::size_t message_ring_bytes(int ranks) {
  constexpr int few_ranks = 8;
  return ranks > usable_cores() && ranks <= few_ranks ? long_ring_bytes : usual_ring_bytes;
}

control_block& control_block::create(std::byte* base, int ranks, std::uint64_t capacity,
                                     std::size_t ring_bytes) {
  // Zero bytes are the initial state of everything in the block.
  auto& block = *reinterpret_cast<control_block*>(base);
  block.ranks = ranks;
  block.cores = usable_cores();
  std::strncpy(block.build.data(), ONEHOP_BUILD, block.build.size() - 1);
  block.capacity = capacity;
  block.ring_bytes = ring_bytes;
  block.creator = this_process();
  block.magic = expected_magic;
  return block;
}

rank_record& control_block::rank(int rank) noexcept {
  auto* records = reinterpret_cast<std::byte*>(this) + page_bytes;
  return reinterpret_cast<rank_record*>(records)[rank];
}

void control_block::take_place(int rank, int name) {
  if (rank < 0 || rank >= ranks)
    throw usage_error(text("rank ", rank, " joins a job of ", counted(ranks, "rank"),
                           ": give one from 0 to ", ranks - 1));
  rank_record& record = this->rank(rank);
  std::uint32_t expected = rank_record::absent;
  if (!record.state.compare_exchange_strong(expected, rank_record::joining))
    throw usage_error(text("rank ", rank,
                           " joins its job a second time: join once and keep the "
                           "context"));
  record.process = this_process();
  record.name = name;
  // Release is needed, so that whoever sees the rank present sees its process.
  record.state.store(rank_record::present, std::memory_order_release);
}

}  // namespace onehop::stores
