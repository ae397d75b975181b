#include "transport/stores/endpoint.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "rma/copy_view.hpp"

namespace onehop::stores {
namespace {

/// Bytes after which those that wait for single puts are told; fewer are told together, for each
/// store to a flag takes its line from the rank that looks at it.
constexpr std::size_t told_together_bytes = 8192;

/// Exchanges up to this size, sent by one rank, are prefetched: they fit the first cache, where the
/// lines wait for their stores. For larger ones that costs more than it gains.
constexpr std::size_t prefetched_bytes = 65536;

/// Asks for lines in order to write to them.
void prefetch_for_write(const std::byte* begin, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += line_bytes) {
#if defined(__x86_64__)
    // The builtin gives this instruction only with a compiler flag, and g++ 12 drops a function
    // that does nothing else. Processors that do not know the instruction do nothing.
    asm volatile("prefetchw %0" : : "m"(begin[at]));
#else
    __builtin_prefetch(begin + at, 1);
#endif
  }
}

signals& signals_at(const exposed_blocks& memory, memory_id id, int rank, std::size_t index) {
  // Exposed memory is zeroed, which is the initial state of the signals.
  return reinterpret_cast<signals*>(memory.share(id, rank).data())[index];
}

}  // namespace

std::size_t endpoint::signal_bytes(const chain_plan& plan) {
  // A part of a plan keeps the numbers of the whole.
  int most = 0;
  for (const planned_put& put : plan.puts) most = std::max(most, put.number + 1);
  for (const planned_arrival& from : plan.arrivals) most = std::max(most, from.number + 1);
  return sizeof(signals) * static_cast<std::size_t>(most);
}

endpoint::endpoint(const chain_plan& plan, const exposed_blocks& memory, int rank, memory_id window,
                   memory_id own)
    : banks_(static_cast<std::uint64_t>(plan.banks)), bank_stride_(plan.bank_stride) {
  for (const planned_put& put : plan.puts) add_put(put, memory, rank, window, own);
  add_arrivals(plan, memory, rank, own);
  choose_prefetched();
}

void endpoint::add_put(const planned_put& put, const exposed_blocks& memory, int rank,
                       memory_id window, memory_id own) {
  auto to = std::ranges::find(lanes_, put.target, &lane::target);
  if (to == lanes_.end()) {
    const auto arrival = static_cast<std::size_t>(put.arrival);
    const auto number = static_cast<std::size_t>(put.number);
    const auto* credit = put.needs_credit ? &signals_at(memory, own, rank, number).credit : nullptr;
    auto* arrived = &signals_at(memory, own, put.target, arrival).arrived;
    to = lanes_.insert(to, {put.target, arrived, credit, {}, false});
  }
  to->puts.push_back(puts_.size());
  outgoing& added = puts_.emplace_back();
  added.source = put.source;
  added.bytes = put.source.bytes();
  added.target = memory.share(window, put.target).data() + put.target_offset;
  added.bank_stride = banks_ == 2 ? bank_stride_[static_cast<std::size_t>(put.target)] : 0;
  added.lane = static_cast<std::size_t>(to - lanes_.begin());
  if (to->credit != nullptr && put.source.data == nullptr) {
    added.staging.resize(put.source.bytes());
    added.source = local_view::contiguous(added.staging);
  }
  to->copies |= !added.packed_in_place();
}

// The k-th put from a rank is the k-th arrival from it, so that both sides count alike.
void endpoint::add_arrivals(const chain_plan& plan, const exposed_blocks& memory, int rank,
                            memory_id own) {
  std::map<int, std::vector<std::size_t>> from_origin;
  for (std::size_t i = 0; i < plan.arrivals.size(); ++i)
    from_origin[plan.arrivals[i].origin].push_back(i);
  arrivals_.resize(plan.arrivals.size());
  for (const auto& [origin, indices] : from_origin) {
    const planned_arrival& first = plan.arrivals[indices.front()];
    const auto number = static_cast<std::size_t>(first.number);
    const auto& arrived = signals_at(memory, own, rank, number).arrived;
    for (std::size_t place = 0; place < indices.size(); ++place)
      arrivals_[indices[place]] = {&arrived, place, indices.size()};
    last_arrivals_.push_back(arrivals_[indices.back()]);
    const auto put = static_cast<std::size_t>(first.put);
    if (first.gives_credit) credits_.push_back(&signals_at(memory, own, origin, put).credit);
  }
}

bool endpoint::ready(const lane& to, std::uint64_t exchange) const {
  if (to.credit == nullptr) return true;
  // Acquire: the target's reads of the bank come before our stores to it.
  return to.credit->load(std::memory_order_acquire) + banks_ > exchange;
}

void endpoint::fire(lane& to, std::uint64_t exchange) {
  const std::uint64_t before = (exchange - 1) * to.puts.size();
  std::size_t untold = 0;
  for (std::size_t k = 0; to.copies && k + 1 < to.puts.size(); ++k) {
    untold += copy(puts_[to.puts[k]], exchange);
    if (untold < told_together_bytes) continue;
    // Release: the bytes are there before the count.
    to.arrived->store(before + k + 1, std::memory_order_release);
    untold = 0;
  }
  if (to.copies) copy(puts_[to.puts.back()], exchange);
  // Release: as above, and what the caller has packed into the target.
  to.arrived->store(before + to.puts.size(), std::memory_order_release);
  to.fired = exchange;
}

std::size_t endpoint::copy(const outgoing& put, std::uint64_t exchange) const {
  if (put.packed_in_place()) return 0;
  copy_view(put.source, put.bank(exchange));
  return put.source.bytes();
}

bool endpoint::start(std::uint64_t exchange) {
  if (begun_ != exchange) {
    begun_ = exchange;
    // Release: our reads of what came before are over when the origin sees the credit.
    for (auto* credit : credits_) credit->store(exchange, std::memory_order_release);
  }
  bool all = true;
  for (lane& to : lanes_) {
    if (to.fired == exchange) continue;
    if (ready(to, exchange))
      fire(to, exchange);
    else
      all = false;
  }
  return all;
}

bool endpoint::fired(std::size_t put, std::uint64_t exchange) const {
  return lanes_[puts_[put].lane].fired == exchange;
}

bool endpoint::incoming::is_in(std::uint64_t exchange) const {
  // Acquire: reads of the bytes come after the count. An origin may be one exchange ahead.
  return arrived->load(std::memory_order_acquire) > (exchange - 1) * count + place;
}

bool endpoint::arrived(std::size_t arrival, std::uint64_t exchange) {
  return arrivals_[arrival].is_in(exchange);
}

std::optional<bool> endpoint::complete(std::uint64_t exchange) {
  // start returned true: all sources are free. Puts arrive in order: the last says it for all.
  for (const incoming& last : last_arrivals_)
    if (!last.is_in(exchange)) return false;
  prefetch(exchange + 1);
  return true;
}

// The target has read its other bank in the exchange before, so that our next stores there would
// each have to take a line back from it. Asked for now, the lines come while the caller works on
// what has arrived. Only a hint: it neither reads nor writes.
void endpoint::prefetch(std::uint64_t exchange) const {
  for (const line_range& lines : prefetched_)
    prefetch_for_write(lines.target + (exchange - 1) % 2 * lines.bank_stride, lines.bytes);
}

void endpoint::choose_prefetched() {
  std::size_t total = 0;
  for (const outgoing& put : puts_) {
    total += put.bytes;
    // The target of a put with credit may still be reading.
    if (lanes_[put.lane].credit == nullptr)
      prefetched_.push_back({put.target, put.bank_stride, put.bytes});
  }
  if (total > prefetched_bytes) prefetched_.clear();
}

std::uint64_t endpoint::last_arrived(std::size_t arrival) const {
  const incoming& from = arrivals_[arrival];
  const std::uint64_t in = from.arrived->load(std::memory_order_relaxed);
  return (in + from.count - 1 - from.place) / from.count;
}

bool endpoint::source_free(std::size_t put, std::uint64_t exchange) { return fired(put, exchange); }

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
  if (lanes_[out.lane].credit == nullptr)
    return text(channel,
                prefetched_.empty() ? ", not prefetched: the chain is over "
                                    : ", lines prefetched: the chain is up to ",
                prefetched_bytes, " bytes; no credit: the target puts back");
  if (banks_ == 1) return channel + ", with credit: the window has one bank";
  return channel + ", with credit: the target puts nothing back";
}

}  // namespace onehop::stores
