#include "transport/mpi_rma/endpoint.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "rma/copy_view.hpp"

namespace onehop::mpi_rma {
namespace {

using mpi::check;

/// Of a chain whose lines are asked for early, as on shm: those fit the first cache.
constexpr std::size_t most_asked_bytes = 65536;

bool in_one_piece(const local_view& view) {
  return view.blocks == 1 || view.stride_bytes == static_cast<std::ptrdiff_t>(view.block_bytes);
}

MPI_Aint displacement(const shared_window& window, int rank, std::size_t offset) {
  return window.first[static_cast<std::size_t>(rank)] + static_cast<MPI_Aint>(offset);
}

/// Null where stores do not reach.
std::byte* address(const shared_window& window, int rank, std::size_t offset) {
  std::byte* const base = window.direct[static_cast<std::size_t>(rank)];
  return base == nullptr ? nullptr : base + offset;
}

std::size_t signal_offset(int index, std::size_t member) {
  return static_cast<std::size_t>(index) * sizeof(signals) + member;
}

std::uint64_t* signal_address(const shared_window& own, int rank, int index, std::size_t member) {
  return reinterpret_cast<std::uint64_t*>(address(own, rank, signal_offset(index, member)));
}

MPI_Aint signal_place(const shared_window& own, int rank, int index, std::size_t member) {
  return displacement(own, rank, signal_offset(index, member));
}

/// Releases: what was stored before it is seen by who sees it.
void store(std::uint64_t& word, std::uint64_t value) {
  std::atomic_ref(word).store(value, std::memory_order_release);
}

/// Acquires: what was put before the word is read after it.
std::uint64_t load(const std::uint64_t& word) {
  return std::atomic_ref(const_cast<std::uint64_t&>(word)).load(std::memory_order_acquire);
}

}  // namespace

std::size_t endpoint::signal_bytes(const chain_plan& plan) {
  return sizeof(signals) * std::max(plan.puts.size(), plan.arrivals.size());
}

endpoint::endpoint(const chain_plan& plan, shared_window window, shared_window own, int rank)
    : window_(std::move(window)),
      own_(std::move(own)),
      // Exposed memory is zeroed, which is the initial state of the signals.
      signals_(reinterpret_cast<const signals*>(own_.local.data())),
      banks_(static_cast<std::uint64_t>(plan.banks)) {
  plan_puts(plan);
  plan_arrivals(plan);
  moved_.reserve(targets_.size());
  choose_hints(plan, rank);
}

void endpoint::plan_puts(const chain_plan& plan) {
  for (std::size_t i = 0; i < plan.puts.size(); ++i) {
    const planned_put& put = plan.puts[i];
    auto to = std::ranges::find(targets_, put.target, &target::rank);
    if (to == targets_.end()) {
      const std::size_t member = offsetof(signals, arrived);
      targets_.push_back({put.target, signal_place(own_, put.target, put.arrival, member),
                          signal_address(own_, put.target, put.arrival, member),
                          &signals_[i].credit, put.needs_credit});
      to = targets_.end() - 1;
    }
    const auto offset = [&](std::uint64_t exchange) {
      return put.target_offset + plan.bank_offset(put.target, exchange);
    };
    puts_.push_back(
        {put.source,
         static_cast<std::size_t>(to - targets_.begin()),
         std::make_unique<mpi::byte_count>(put.source.bytes()),
         {displacement(window_, put.target, offset(2)),
          displacement(window_, put.target, offset(1))},
         {address(window_, put.target, offset(2)), address(window_, put.target, offset(1))},
         false,
         {}});
    outgoing& out = puts_.back();
    const bool stores = out.direct[0] != nullptr;
    out.in_place = stores && out.packed() && !put.needs_credit;
    if (out.packed() ? !out.in_place : !stores && !in_one_piece(put.source))
      out.staging.resize(put.source.bytes());
  }
}

void endpoint::plan_arrivals(const chain_plan& plan) {
  for (std::size_t i = 0; i < plan.arrivals.size(); ++i) {
    const planned_arrival& arrival = plan.arrivals[i];
    auto from = std::ranges::find(origins_, arrival.origin, &origin::rank);
    if (from == origins_.end()) {
      const std::size_t member = offsetof(signals, credit);
      origins_.push_back({arrival.origin, &signals_[i].arrived,
                          signal_place(own_, arrival.origin, arrival.put, member),
                          signal_address(own_, arrival.origin, arrival.put, member),
                          arrival.gives_credit});
      from = origins_.end() - 1;
    }
    origin_of_.push_back(static_cast<std::size_t>(from - origins_.begin()));
  }
}

void endpoint::choose_hints(const chain_plan& plan, int rank) {
  const auto lines = [&](int of, std::size_t offset, std::size_t bytes) {
    const std::size_t stride = plan.banks == 2 ? plan.bank_stride[static_cast<std::size_t>(of)] : 0;
    return stores::line_range{address(window_, of, offset), stride, bytes};
  };
  const auto near = [&](int other) {
    return other != rank && address(window_, other, 0) != nullptr;
  };
  std::vector<stores::line_range> to_write, to_read;
  std::size_t total = 0;
  for (const planned_put& put : plan.puts) {
    // The target of a put with credit may still be reading.
    if (!near(put.target) || put.needs_credit || !put.asked_by_chain) continue;
    to_write.push_back(lines(put.target, put.target_offset, put.source.bytes()));
    total += put.source.bytes();
  }
  if (to_write.empty() || total > most_asked_bytes) return;
  for (const planned_arrival& arrival : plan.arrivals)
    if (near(arrival.origin)) to_read.push_back(lines(rank, arrival.offset, arrival.bytes));
  hints_ = {to_write, to_read};
}

void endpoint::raise(int rank, MPI_Aint place, const std::uint64_t& value) {
  check(MPI_Accumulate(&value, 1, MPI_UINT64_T, rank, place, 1, MPI_UINT64_T, MPI_REPLACE,
                       own_.handle),
        "MPI_Accumulate");
}

void endpoint::give_credits(std::uint64_t exchange) {
  // Our reads of what came before are over when the origin sees the credit.
  std::atomic_thread_fence(std::memory_order_release);
  for (const origin& one : origins_) {
    if (!one.gets_credit) continue;
    if (one.direct_credit != nullptr) {
      store(*one.direct_credit, exchange);
      continue;
    }
    raise(one.rank, one.credit, exchange);
    check(MPI_Win_flush(one.rank, own_.handle), "MPI_Win_flush");
  }
}

bool endpoint::ready(const target& to, std::uint64_t exchange) const {
  return !to.needs_credit || load(*to.credit) + banks_ > exchange;
}

void endpoint::put(outgoing& out, std::uint64_t exchange) {
  if (out.in_place) return;
  if (std::byte* const there = out.direct[exchange % 2]; there != nullptr) {
    if (out.packed())
      std::memcpy(there, out.staging.data(), out.staging.size());
    else
      copy_view(out.source, there);
    return;
  }
  const std::byte* from = out.staging.empty() ? out.source.data : out.staging.data();
  if (!out.packed() && !out.staging.empty()) copy_view(out.source, out.staging.data());
  const mpi::byte_count& bytes = *out.bytes;
  check(MPI_Put(from, bytes.count(), bytes.type(), targets_[out.to].rank, out.places[exchange % 2],
                bytes.count(), bytes.type(), window_.handle),
        "MPI_Put");
}

bool endpoint::start(std::uint64_t exchange) {
  if (begun_ != exchange) {
    begun_ = exchange;
    give_credits(exchange);
  }
  moved_.clear();
  bool all = true;
  for (target& to : targets_) {
    if (to.fired == exchange) continue;
    if (ready(to, exchange))
      moved_.push_back(&to);
    else
      all = false;
  }
  if (!moved_.empty()) finish(exchange);
  return all;
}

void endpoint::finish(std::uint64_t exchange) {
  const auto moves = [&](std::size_t to) {
    return std::ranges::find(moved_, &targets_[to]) != moved_.end();
  };
  for (outgoing& out : puts_)
    if (moved_.size() == targets_.size() || moves(out.to)) put(out, exchange);
  bool elsewhere = false;
  for (const target* to : moved_) {
    elsewhere |= to->direct_flag == nullptr;
    if (to->direct_flag != nullptr) store(*to->direct_flag, exchange);
  }
  if (elsewhere) finish_elsewhere(exchange);
  for (target* to : moved_) to->fired = exchange;
}

void endpoint::finish_elsewhere(std::uint64_t exchange) {
  const auto each = [&](auto&& call) {
    for (const target* to : moved_)
      if (to->direct_flag == nullptr) call(*to);
  };
  // All bytes are on their way before the first flush waits for any.
  each([&](const target& to) { check(MPI_Win_flush(to.rank, window_.handle), "MPI_Win_flush"); });
  each([&](const target& to) { raise(to.rank, to.flag, exchange); });
  // Without this MPI may keep the flags back; it also lets go of `exchange`.
  each([&](const target& to) { check(MPI_Win_flush(to.rank, own_.handle), "MPI_Win_flush"); });
}

bool endpoint::fired(std::size_t put, std::uint64_t exchange) const {
  return targets_[puts_[put].to].fired == exchange;
}

bool endpoint::seen(origin& from, std::uint64_t exchange) const {
  if (from.seen >= exchange) return true;
  // An origin may be one exchange ahead.
  const std::uint64_t came = load(*from.arrived);
  if (came < exchange) return false;
  // Makes what others put visible where MPI keeps a copy: once, and not with every look. What was
  // stored, the look itself acquires.
  if (from.direct_credit == nullptr) check(MPI_Win_sync(window_.handle), "MPI_Win_sync");
  from.seen = came;
  return true;
}

bool endpoint::arrived(std::size_t arrival, std::uint64_t exchange) {
  return seen(origins_[origin_of_[arrival]], exchange);
}

std::uint64_t endpoint::last_arrived(std::size_t arrival) const {
  return load(*origins_[origin_of_[arrival]].arrived);
}

bool endpoint::source_free(std::size_t put, std::uint64_t exchange) { return fired(put, exchange); }

std::optional<bool> endpoint::complete(std::uint64_t exchange) {
  // A look at a flag is much shorter than the look at the whole network between two calls.
  constexpr int looks = 64;
  for (origin& from : origins_) {
    for (int look = 0; !seen(from, exchange); ++look)
      if (look == looks) return false;
  }
  if (!std::ranges::all_of(targets_, [&](const target& to) { return to.fired == exchange; }))
    return false;
  hints_.give(exchange);
  return true;
}

std::byte* endpoint::packing_memory(std::size_t put, std::uint64_t exchange) {
  outgoing& out = puts_[put];
  return out.in_place ? out.direct[exchange % 2] : out.staging.data();
}

std::string endpoint::describe(std::size_t put) const {
  const outgoing& out = puts_[put];
  const bool stores = out.direct[0] != nullptr;
  std::string channel = stores ? "stored into the memory of a rank of this machine, flag"
                        : out.staging.empty() ? "MPI_Put from its source, flush, flag"
                                              : "packed here, then MPI_Put, flush, flag";
  if (!targets_[out.to].needs_credit) return channel + ", no credit: the target puts back";
  if (banks_ == 1) return channel + ", with credit: the window has one bank";
  return channel + ", with credit: the target puts nothing back";
}

}  // namespace onehop::mpi_rma
