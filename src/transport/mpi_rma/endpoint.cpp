#include "transport/mpi_rma/endpoint.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <set>

#include "rma/copy_view.hpp"
#include "transport/mpi/calls.hpp"

namespace onehop::mpi_rma {
namespace {

using mpi::check;

bool in_one_piece(const local_view& view) {
  return view.blocks == 1 || view.stride_bytes == static_cast<std::ptrdiff_t>(view.block_bytes);
}

MPI_Aint displacement(const shared_window& window, int rank, std::size_t offset) {
  return window.first[static_cast<std::size_t>(rank)] + static_cast<MPI_Aint>(offset);
}

MPI_Aint signal_place(const shared_window& own, int rank, int index, std::size_t member) {
  return displacement(own, rank, static_cast<std::size_t>(index) * sizeof(signals) + member);
}

}  // namespace

std::size_t endpoint::signal_bytes(const chain_plan& plan) {
  return sizeof(signals) * std::max(plan.puts.size(), plan.arrivals.size());
}

endpoint::endpoint(const chain_plan& plan, shared_window window, shared_window own)
    : window_(std::move(window)),
      own_(std::move(own)),
      // Exposed memory is zeroed, which is the initial state of the signals.
      signals_(reinterpret_cast<const signals*>(own_.local.data())),
      banks_(static_cast<std::uint64_t>(plan.banks)) {
  std::set<int> targets;
  for (const planned_put& put : plan.puts) {
    const std::size_t stride = plan.bank_offset(put.target, 2);
    puts_.push_back({put.source,
                     put.target,
                     displacement(window_, put.target, put.target_offset),
                     static_cast<MPI_Aint>(stride),
                     signal_place(own_, put.target, put.arrival, offsetof(signals, arrived)),
                     put.needs_credit,
                     {}});
    if (put.source.data == nullptr || !in_one_piece(put.source))
      puts_.back().staging.resize(put.source.bytes());
    targets.insert(put.target);
  }
  targets_.assign(targets.begin(), targets.end());
  for (const planned_arrival& from : plan.arrivals)
    if (from.gives_credit)
      credits_.push_back(
          {from.origin, signal_place(own_, from.origin, from.put, offsetof(signals, credit))});
  moved_.reserve(puts_.size());
}

void endpoint::raise(int rank, MPI_Aint place, const std::uint64_t& value) {
  check(MPI_Accumulate(&value, 1, MPI_UINT64_T, rank, place, 1, MPI_UINT64_T, MPI_REPLACE,
                       own_.handle),
        "MPI_Accumulate");
}

void endpoint::give_credits(std::uint64_t exchange) {
  // Our reads of what came before are over when the origin sees the credit.
  std::atomic_thread_fence(std::memory_order_release);
  for (const incoming& one : credits_) {
    raise(one.origin, one.credit, exchange);
    check(MPI_Win_flush(one.origin, own_.handle), "MPI_Win_flush");
  }
}

bool endpoint::ready(std::size_t put, std::uint64_t exchange) const {
  return !puts_[put].needs_credit || read(signals_[put].credit) + banks_ > exchange;
}

std::uint64_t endpoint::read(const std::uint64_t& word) const {
  // Makes what others put visible where MPI keeps a copy. Acquire: what was put before the flag is
  // read after it.
  check(MPI_Win_sync(own_.handle), "MPI_Win_sync");
  return std::atomic_ref(const_cast<std::uint64_t&>(word)).load(std::memory_order_acquire);
}

void endpoint::put(outgoing& out, std::uint64_t exchange) {
  const std::byte* from = out.staging.empty() ? out.source.data : out.staging.data();
  if (!out.packed() && !out.staging.empty()) copy_view(out.source, out.staging.data());
  const mpi::byte_count bytes(out.source.bytes());
  const MPI_Aint place =
      out.place + static_cast<MPI_Aint>((exchange - 1) % banks_) * out.bank_stride;
  check(MPI_Put(from, bytes.count(), bytes.type(), out.target, place, bytes.count(), bytes.type(),
                window_.handle),
        "MPI_Put");
}

bool endpoint::start(std::uint64_t exchange) {
  if (begun_ != exchange) {
    begun_ = exchange;
    give_credits(exchange);
  }
  moved_.clear();
  bool all = true;
  for (std::size_t i = 0; i < puts_.size(); ++i) {
    if (puts_[i].fired == exchange) continue;
    if (!ready(i, exchange)) {
      all = false;
      continue;
    }
    put(puts_[i], exchange);
    moved_.push_back(i);
  }
  if (!moved_.empty()) finish(exchange);
  return all;
}

void endpoint::finish(std::uint64_t exchange) {
  // All bytes are on their way before the first flush waits for any.
  for (const int target : targets_) check(MPI_Win_flush(target, window_.handle), "MPI_Win_flush");
  for (const std::size_t i : moved_) raise(puts_[i].target, puts_[i].flag, exchange);
  // Without this MPI may keep the flags back; it also lets go of `exchange`.
  for (const int target : targets_) check(MPI_Win_flush(target, own_.handle), "MPI_Win_flush");
  for (const std::size_t i : moved_) puts_[i].fired = exchange;
}

bool endpoint::fired(std::size_t put, std::uint64_t exchange) const {
  return puts_[put].fired == exchange;
}

bool endpoint::arrived(std::size_t arrival, std::uint64_t exchange) {
  // An origin may be one exchange ahead.
  return read(signals_[arrival].arrived) >= exchange;
}

std::uint64_t endpoint::last_arrived(std::size_t arrival) const {
  return read(signals_[arrival].arrived);
}

bool endpoint::source_free(std::size_t put, std::uint64_t exchange) {
  return puts_[put].fired == exchange;
}

std::byte* endpoint::packing_memory(std::size_t put, std::uint64_t) {
  return puts_[put].staging.data();
}

std::string endpoint::describe(std::size_t put) const {
  const outgoing& out = puts_[put];
  std::string channel = out.staging.empty() ? "MPI_Put from its source, flush, flag"
                                            : "packed here, then MPI_Put, flush, flag";
  if (!out.needs_credit) return channel + ", no credit: the target puts back";
  if (banks_ == 1) return channel + ", with credit: the window has one bank";
  return channel + ", with credit: the target puts nothing back";
}

}  // namespace onehop::mpi_rma
