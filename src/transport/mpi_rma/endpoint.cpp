#include "transport/mpi_rma/endpoint.hpp"

#include <algorithm>
#include <cstddef>

#include "rma/copy_view.hpp"
#include "transport/mpi/ending.hpp"

namespace onehop::mpi_rma {
namespace {

using mpi::check;
using stores::signals;

// A word is put as 8 bytes and read as an atomic. Only the first of the two words for arrivals is
// used, because a put to it is flushed before the next exchange can be started.
constexpr std::size_t arrived_member = offsetof(signals, arrived);
constexpr std::size_t credit_member = offsetof(signals, credit);

MPI_Aint signal_place(int number, std::size_t member) {
  return static_cast<MPI_Aint>(static_cast<std::size_t>(number) * sizeof(signals) + member);
}

/// Returns where the length of arrival `number` lies after exchanges of this parity.
MPI_Aint size_place(int number, std::size_t parity) {
  constexpr std::size_t bytes_member = offsetof(signals::word, bytes);
  return signal_place(number, arrived_member + parity * sizeof(signals::word) + bytes_member);
}

/// Loads a word and acquires: data that was put before the word is read after it.
std::uint64_t load(const std::atomic<std::uint64_t>& word) {
  return word.load(std::memory_order_acquire);
}

}  // namespace

endpoint::endpoint(const chain_plan& plan, opened_window window, opened_window own)
    : window_(window),
      own_(own),
      // Exposed memory is zeroed, which is the initial state of the signals.
      signals_(reinterpret_cast<const signals*>(own_.local.data())),
      held_(plan.held),
      banks_(static_cast<std::uint64_t>(plan.banks)) {
  plan_puts(plan);
  plan_arrivals(plan);
  moved_.reserve(targets_.size());
}

void endpoint::plan_puts(const chain_plan& plan) {
  for (const planned_put& put : plan.puts) {
    auto to = std::ranges::find(targets_, put.target, &target::rank);
    if (to == targets_.end()) {
      const auto& mine = signals_[static_cast<std::size_t>(put.number)];
      targets_.push_back({put.target, signal_place(put.arrival, arrived_member), &mine.credit.value,
                          put.needs_credit});
      to = targets_.end() - 1;
    }
    const auto place = [&](std::uint64_t exchange) {
      return static_cast<MPI_Aint>(put.target_offset + plan.bank_offset(put, exchange));
    };
    puts_.push_back({put.source,
                     put.number,
                     static_cast<std::size_t>(to - targets_.begin()),
                     to->puts.size(),
                     {place(2), place(1)},
                     {}});
    to->puts.push_back(puts_.size() - 1);
    outgoing& out = puts_.back();
    if (out.packed() || !is_contiguous(put.source)) out.staging.resize(put.source.bytes());
    if (!put.variable) continue;
    out.size = &plan.size_of(put);
    out.told = {size_place(put.arrival, 0), size_place(put.arrival, 1)};
    targets_[out.to].varies = true;
  }
}

void endpoint::plan_arrivals(const chain_plan& plan) {
  for (const planned_arrival& arrival : plan.arrivals) {
    auto from = std::ranges::find(origins_, arrival.origin, &origin::rank);
    if (from == origins_.end()) {
      const auto& mine = signals_[static_cast<std::size_t>(arrival.number)];
      origins_.push_back({arrival.origin, &mine.arrived[0].value,
                          signal_place(arrival.put, credit_member), arrival.gives_credit});
      from = origins_.end() - 1;
    }
    arrivals_.push_back(
        {static_cast<std::size_t>(from - origins_.begin()), from->puts++, arrival.number});
  }
}

void endpoint::raise(int rank, MPI_Aint place, const std::uint64_t& value) {
  check(MPI_Accumulate(&value, 1, MPI_UINT64_T, rank, place, 1, MPI_UINT64_T, MPI_REPLACE,
                       own_.handle),
        "MPI_Accumulate");
}

void endpoint::give_credits(std::uint64_t exchange) {
  // Release is needed, so that our reads of earlier data are over when the origin sees the credit.
  std::atomic_thread_fence(std::memory_order_release);
  for (const origin& one : origins_) {
    if (!one.gets_credit) continue;
    raise(one.rank, one.credit, exchange);
    check(MPI_Win_flush(one.rank, own_.handle), "MPI_Win_flush");
  }
}

bool endpoint::ready(const target& to, std::uint64_t exchange) const {
  return !to.needs_credit || load(*to.credit) + banks_ > exchange;
}

bool endpoint::ready(std::uint64_t exchange) {
  return std::ranges::all_of(targets_, [&](const target& to) { return ready(to, exchange); });
}

void endpoint::put(outgoing& out, std::uint64_t exchange) {
  const std::byte* from = out.staging.empty() ? out.source.data : out.staging.data();
  if (!out.packed() && !out.staging.empty()) copy_view(out.source, out.staging.data());
  const int rank = targets_[out.to].rank;
  if (out.size != nullptr) {
    const std::uint64_t& length = *out.size;
    raise(rank, out.told[exchange % 2], length);
    if (length == 0) return;
  }
  const mpi::byte_count bytes(out.size == nullptr ? out.source.bytes() : *out.size);
  check(MPI_Put(from, bytes.count(), bytes.type(), rank, out.places[exchange % 2], bytes.count(),
                bytes.type(), window_.handle),
        "MPI_Put");
}

bool endpoint::start(std::uint64_t exchange) {
  mpi::require_mpi();
  if (begun_ != exchange) {
    begun_ = exchange;
    give_credits(exchange);
  }
  moved_.clear();
  bool all = true;
  for (target& to : targets_) {
    if (to.fired == exchange) continue;
    to.leaving = ready(to, exchange) ? unheld(to) : 0;
    if (to.leaving > to.left) moved_.push_back(&to);
    all &= to.leaving == to.puts.size();
  }
  if (!moved_.empty()) finish(exchange);
  return all;
}

void endpoint::finish(std::uint64_t exchange) {
  for (const target* to : moved_)
    for (std::size_t k = to->left; k < to->leaving; ++k) put(puts_[to->puts[k]], exchange);
  // All bytes are sent before the first flush waits for any of them.
  for (const target* to : moved_) check(MPI_Win_flush(to->rank, window_.handle), "MPI_Win_flush");
  for (const target* to : moved_)
    if (to->varies) check(MPI_Win_flush(to->rank, own_.handle), "MPI_Win_flush");
  for (target* to : moved_) {
    to->told = (exchange - 1) * to->puts.size() + to->leaving;
    raise(to->rank, to->flag, to->told);
  }
  // Without this flush MPI may delay the flags, and `told` must not change before they are sent.
  for (target* to : moved_) {
    check(MPI_Win_flush(to->rank, own_.handle), "MPI_Win_flush");
    to->left = to->leaving;
    if (to->left < to->puts.size()) continue;
    to->left = 0;
    to->fired = exchange;
  }
}

std::size_t endpoint::unheld(const target& to) const {
  if (!held_->any()) return to.puts.size();
  const auto first =
      std::ranges::find_if(to.puts, [&](std::size_t put) { return held_->has(puts_[put].number); });
  return static_cast<std::size_t>(first - to.puts.begin());
}

bool endpoint::fired(std::size_t put, std::uint64_t exchange) const {
  const target& to = targets_[puts_[put].to];
  return to.fired == exchange || puts_[put].place < to.left;
}

bool endpoint::seen(origin& from, std::uint64_t count) const {
  if (from.seen >= count) return true;
  // An origin may be one exchange ahead.
  const std::uint64_t came = load(*from.arrived);
  if (came < count) return false;
  // If MPI keeps a copy, the sync makes the others' puts visible; it is needed once, not at every
  // look.
  check(MPI_Win_sync(window_.handle), "MPI_Win_sync");
  from.seen = came;
  return true;
}

bool endpoint::arrived(std::size_t arrival, std::uint64_t exchange) {
  const incoming& one = arrivals_[arrival];
  origin& from = origins_[one.from];
  return seen(from, (exchange - 1) * from.puts + one.place + 1);
}

std::size_t endpoint::arrived_bytes(std::size_t arrival, std::uint64_t exchange) const {
  const signals& mine = signals_[static_cast<std::size_t>(arrivals_[arrival].number)];
  return mine.arrived[exchange % 2].bytes.load(std::memory_order_relaxed);
}

std::uint64_t endpoint::last_arrived(std::size_t arrival) const {
  const incoming& one = arrivals_[arrival];
  const origin& from = origins_[one.from];
  return (load(*from.arrived) + from.puts - 1 - one.place) / from.puts;
}

bool endpoint::source_free(std::size_t put, std::uint64_t exchange) { return fired(put, exchange); }

std::byte* endpoint::packing_memory(std::size_t put, std::uint64_t) {
  return puts_[put].staging.data();
}

std::string endpoint::describe(std::size_t put) const {
  const outgoing& out = puts_[put];
  const std::string channel = out.staging.empty() ? "MPI_Put from its source, flush, flag"
                                                  : "packed here, then MPI_Put, flush, flag";
  if (!targets_[out.to].needs_credit) return channel + ", no credit: the target puts back";
  if (banks_ == 1) return channel + ", with credit: the window has one bank";
  return channel + ", with credit: the target puts nothing back";
}

}  // namespace onehop::mpi_rma
