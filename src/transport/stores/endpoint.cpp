#include "transport/stores/endpoint.hpp"

#include <algorithm>
#include <cstring>

#include "rma/copy_view.hpp"

namespace onehop::stores {
namespace {

signals& signals_at(const exposed_blocks& memory, memory_id id, int rank, std::size_t index) {
  // Exposed memory is zeroed, which is the initial state of the signals.
  return reinterpret_cast<signals*>(memory.share(id, rank).data())[index];
}

}  // namespace

std::size_t endpoint::signal_bytes(const chain_plan& plan) {
  return sizeof(signals) * std::max(plan.puts.size(), plan.arrivals.size());
}

endpoint::endpoint(const chain_plan& plan, const exposed_blocks& memory, int rank, memory_id window,
                   memory_id own)
    : banks_(static_cast<std::uint64_t>(plan.banks)), bank_stride_(plan.bank_stride) {
  for (std::size_t i = 0; i < plan.puts.size(); ++i)
    puts_.push_back(make_outgoing(plan.puts[i], i, memory, rank, window, own));
  for (std::size_t i = 0; i < plan.arrivals.size(); ++i) {
    const planned_arrival& from = plan.arrivals[i];
    arrivals_.push_back(&signals_at(memory, own, rank, i).arrived);
    const auto put = static_cast<std::size_t>(from.put);
    if (from.gives_credit) credits_.push_back(&signals_at(memory, own, from.origin, put).credit);
  }
}

endpoint::outgoing endpoint::make_outgoing(const planned_put& put, std::size_t index,
                                           const exposed_blocks& memory, int rank, memory_id window,
                                           memory_id own) const {
  outgoing result;
  result.source = put.source;
  result.target = memory.share(window, put.target).data() + put.target_offset;
  result.bank_stride = banks_ == 2 ? bank_stride_[static_cast<std::size_t>(put.target)] : 0;
  const auto arrival = static_cast<std::size_t>(put.arrival);
  result.arrived = &signals_at(memory, own, put.target, arrival).arrived;
  result.credit = put.needs_credit ? &signals_at(memory, own, rank, index).credit : nullptr;
  if (put.needs_credit && put.source.data == nullptr) {
    result.staging.resize(put.source.bytes());
    result.source = local_view::contiguous(result.staging);
  }
  return result;
}

bool endpoint::ready(const outgoing& put, std::uint64_t exchange) const {
  if (put.credit == nullptr) return true;
  // Acquire: the target's reads of the bank come before our stores to it.
  return put.credit->load(std::memory_order_acquire) + banks_ > exchange;
}

bool endpoint::start(std::uint64_t exchange) {
  if (begun_ != exchange) {
    begun_ = exchange;
    // Release: our reads of what came before are over when the origin sees the credit.
    for (auto* credit : credits_) credit->store(exchange, std::memory_order_release);
  }
  bool all = true;
  for (outgoing& put : puts_) {
    if (put.fired == exchange) continue;
    if (!ready(put, exchange)) {
      all = false;
      continue;
    }
    if (!put.packed_in_place()) copy_view(put.source, put.bank(exchange));
    // Release: the bytes are there before the flag.
    put.arrived->store(exchange, std::memory_order_release);
    put.fired = exchange;
  }
  return all;
}

bool endpoint::fired(std::size_t put, std::uint64_t exchange) const {
  return puts_[put].fired == exchange;
}

bool endpoint::arrived(std::size_t arrival, std::uint64_t exchange) {
  // Acquire: reads of the bytes come after the flag. An origin may be one exchange ahead.
  return arrivals_[arrival]->load(std::memory_order_acquire) >= exchange;
}

std::uint64_t endpoint::last_arrived(std::size_t arrival) const {
  return arrivals_[arrival]->load(std::memory_order_relaxed);
}

bool endpoint::source_free(std::size_t put, std::uint64_t exchange) {
  return puts_[put].fired == exchange;
}

std::byte* endpoint::packing_memory(std::size_t put, std::uint64_t exchange) {
  outgoing& out = puts_[put];
  return out.packed_in_place() ? out.bank(exchange) : out.staging.data();
}

bool endpoint::direct(std::size_t put) const { return puts_[put].packed_in_place(); }

std::string endpoint::describe(std::size_t put) const {
  const outgoing& out = puts_[put];
  std::string channel = out.packed_in_place() ? "packed straight into the target"
                        : out.staging.empty() ? "stores into the target"
                                              : "packed here, then stores into the target";
  if (out.credit == nullptr) return channel + ", no credit: the target puts back";
  if (banks_ == 1) return channel + ", with credit: the window has one bank";
  return channel + ", with credit: the target puts nothing back";
}

}  // namespace onehop::stores
