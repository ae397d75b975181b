#include "transport/virtual/threads.hpp"

#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::virtual_machine {

thread_conductor::thread_conductor(int ranks, machine on)
    : round_memory(checked_count(ranks, on)),
      conductor("virtual:" + on.description.name, table()),
      job_(table(), std::move(on)),
      memory_(ranks),
      messages_(static_cast<std::size_t>(ranks)),
      batons_(static_cast<std::size_t>(ranks)) {}

bool thread_conductor::enter(int rank) {
  baton_of(rank).acquire();
  return !cancelled_;
}

void thread_conductor::begin() { baton_of(job_.progress.choose()).release(); }

void thread_conductor::cancel() {
  cancelled_ = true;
  for (baton& each : batons_) each.release();
}

void thread_conductor::finish(int rank) {
  job_.progress.retire(rank);
  if (const int next = job_.progress.choose(); next >= 0) baton_of(next).release();
}

void thread_conductor::pass_on(int rank) {
  const int next = job_.progress.choose();
  if (next == rank) return;
  baton_of(next).release();
  baton_of(rank).acquire();
}

void thread_conductor::stall(int rank) { job_.at(rank).stalled = has_stalled_ = true; }

void thread_conductor::throw_if_failed() {
  if (!job_.failure.empty()) throw peer_error(job_.failure);
  if (interrupted_.load(std::memory_order_relaxed)) throw peer_error("the job was interrupted");
}

bool thread_conductor::left(int rank) const noexcept {
  const job::member& other = job_.members[static_cast<std::size_t>(rank)];
  return other.departed && !other.stalled && job_.messages.under_way() == 0;
}

void thread_conductor::abandon(int rank, std::string_view reason) noexcept {
  job_.fail(text("rank ", rank, " failed: ", reason));
}

memory_id thread_conductor::expose(int rank, std::span<const std::size_t> bytes_of_rank) {
  return memory_.expose(rank, bytes_of_rank[static_cast<std::size_t>(rank)]);
}

void thread_conductor::withdraw(int rank, memory_id memory) noexcept {
  job_.forget_side(rank, memory);
  memory_.withdraw(memory, rank);
}

void thread_conductor::add_chain(int rank, memory_id own) {
  job_.add_side(rank, own, chain_record::at(share(own, rank)));
}

void thread_conductor::wait(int rank, picoseconds until) {
  if (job_.progress.suspend(rank, until)) pass_on(rank);
}

void thread_conductor::look(int rank) {
  job_.progress.defer(rank);
  pass_on(rank);
  // Long enough for every other deadline; a loop over test has none.
  if (has_stalled_ && ++looks_since_stall_ > 10'000)
    throw peer_error("another rank has reached its deadline");
}

void thread_conductor::work(int rank, const kernel_cost& cost) {
  const picoseconds time = job_.time_of(cost);
  if (time <= 0) return;
  const pause& own = job_.at(rank).pause;
  job_.at(rank).pause.begin(job_.messages, time);
  while (!own.is_over()) wait(rank, netsim::never);
}

std::byte* thread_conductor::message_of(int rank, unsigned parity) {
  return messages_[static_cast<std::size_t>(rank)][parity].data();
}

std::byte* thread_conductor::message_memory(int rank, unsigned parity, std::size_t bytes) {
  auto& said = messages_[static_cast<std::size_t>(rank)][parity];
  // Never null, also for nothing.
  if (said.size() < bytes || said.empty()) said.resize(std::max<std::size_t>(1, bytes));
  return said.data();
}

}  // namespace onehop::virtual_machine
