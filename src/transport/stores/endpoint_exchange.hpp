#pragma once
/// This file holds an endpoint's exchanges: the order in which ranks store and look, and why it
/// suffices.

#include <algorithm>

#include "transport/stores/endpoint.hpp"
#include "transport/stores/lines.hpp"

namespace onehop::stores {

/// A rank that waits for single puts is told after this many bytes. Fewer are announced together,
/// because each store to a flag takes its line from the rank that looks at it.
constexpr std::size_t told_together_bytes = 8192;

template <class Memory>
bool endpoint_in<Memory>::ready(const lane& to, std::uint64_t exchange) const {
  if (to.credit == nullptr) return true;
  // Acquire is needed, so that the target's reads of the bank come before our stores to it.
  return to.credit->load(std::memory_order_acquire) + banks_ > exchange;
}

// These stores need no release of their own: the later stores to the counts release them.
template <class Memory>
void endpoint_in<Memory>::tell_size(const outgoing& put, std::uint64_t exchange) const {
  if (put.size != nullptr)
    (*put.told)[exchange % 2].bytes.store(*put.size, std::memory_order_relaxed);
}

template <class Memory>
void endpoint_in<Memory>::raise_count(const lane& to, std::uint64_t exchange,
                                      std::size_t puts) const {
  // Stores that bypass the caches are outside the memory model: no release orders them.
  if (to.streams) Memory::fence();
  // Release is needed, so that the bytes, also those that the caller has packed into the target,
  // are there before the count.
  to.count(exchange).store((exchange - 1) * to.puts.size() + puts, std::memory_order_release);
}

template <class Memory>
void endpoint_in<Memory>::fire(lane& to, std::uint64_t exchange) {
  if (to.varies)
    for (const std::size_t index : to.puts) tell_size(puts_[index], exchange);
  std::size_t untold = 0;
  for (std::size_t k = 0; to.copies && k + 1 < to.puts.size(); ++k) {
    untold += copy(puts_[to.puts[k]], exchange);
    if (untold < told_together_bytes) continue;
    raise_count(to, exchange, k + 1);
    untold = 0;
  }
  if (to.copies) copy(puts_[to.puts.back()], exchange);
  if (to.demotes)
    for (const std::size_t index : to.puts) demote_lines(puts_[index], exchange);
  raise_count(to, exchange, to.puts.size());
  if (!to.at_home)
    demote(reinterpret_cast<const std::byte*>(&to.count(exchange)), sizeof to.count(exchange));
  to.fired = exchange;
}

// One count covers all puts to a target, so a put leaves together with those before it.
template <class Memory>
bool endpoint_in<Memory>::fire_part(lane& to, std::uint64_t exchange) {
  const std::size_t before = to.left;
  for (; to.left < to.puts.size(); ++to.left) {
    const outgoing& put = puts_[to.puts[to.left]];
    if (held_->has(put.number)) break;
    tell_size(put, exchange);
    copy(put, exchange);
    demote_lines(put, exchange);
  }
  if (to.left == before) return false;
  raise_count(to, exchange, to.left);
  if (to.left < to.puts.size()) return false;
  to.left = 0;
  to.fired = exchange;
  return true;
}

template <class Memory>
std::size_t endpoint_in<Memory>::copy(const outgoing& put, std::uint64_t exchange) const {
  if (put.packed_in_place()) return 0;
  const local_view view = put.view();
  if (view.block_bytes == 0) return 0;
  if (put.way.which == channel::streaming)
    Memory::stream(view, put.bank(exchange));
  else
    Memory::copy(view, put.bank(exchange));
  return view.bytes();
}

template <class Memory>
void endpoint_in<Memory>::demote_lines(const outgoing& put, std::uint64_t exchange) const {
  if (put.way.which == channel::demote) demote(put.bank(exchange), put.view().bytes());
}

template <class Memory>
bool endpoint_in<Memory>::start(std::uint64_t exchange) {
  if (begun_ != exchange) {
    begun_ = exchange;
    // Release is needed, so that our reads of earlier data are over when the origin sees the
    // credit.
    for (auto* credit : credits_) credit->store(exchange, std::memory_order_release);
  }
  bool all = true;
  for (lane& to : lanes_) {
    if (to.fired == exchange) continue;
    if (!ready(to, exchange))
      all = false;
    else if (!held_->any() && to.left == 0) [[likely]]
      fire(to, exchange);
    else
      all &= fire_part(to, exchange);
  }
  // A rank that only sends or only receives cannot look too early.
  if (!lanes_.empty() && !arrivals_.empty()) patience_.begin();
  return all;
}

template <class Memory>
bool endpoint_in<Memory>::ready(std::uint64_t exchange) {
  return std::ranges::all_of(lanes_, [&](const lane& to) { return ready(to, exchange); });
}

template <class Memory>
bool endpoint_in<Memory>::fired(std::size_t put, std::uint64_t exchange) const {
  const lane& to = lanes_[puts_[put].lane];
  return to.fired == exchange || puts_[put].place < to.left;
}

template <class Memory>
bool endpoint_in<Memory>::incoming::is_in(std::uint64_t exchange) const {
  // Acquire is needed, so that reads of the bytes come after the count. An origin may be one
  // exchange ahead.
  return (*arrived)[exchange % 2].value.load(std::memory_order_acquire) >
         (exchange - 1) * count + number;
}

template <class Memory>
bool endpoint_in<Memory>::arrived(std::size_t arrival, std::uint64_t exchange) {
  return arrivals_[arrival].is_in(exchange);
}

template <class Memory>
std::size_t endpoint_in<Memory>::arrived_bytes(std::size_t arrival, std::uint64_t exchange) const {
  // A relaxed load is enough, since the load that saw the count has acquired it.
  return (*arrivals_[arrival].own)[exchange % 2].bytes.load(std::memory_order_relaxed);
}

template <class Memory>
std::optional<bool> endpoint_in<Memory>::complete(std::uint64_t exchange) {
  if (!patience_.over()) return false;
  // All sources are free once start has returned true. Puts arrive in order, so the last one from
  // each origin stands for all.
  for (const incoming& last : last_arrivals_)
    if (!last.is_in(exchange)) return false;
  prefetch_lines(exchange);
  return true;
}

// The target read its other bank in the previous exchange, so each of our next stores there would
// have to take a line back from it. If prefetched now, the lines come while the caller works on
// what has arrived. This is only a hint: it neither reads nor writes.
template <class Memory>
void endpoint_in<Memory>::prefetch_lines(std::uint64_t arrived) const {
  if (!hints_.empty()) hints_.give(arrived);
  for (const lane& to : lanes_)
    if (!to.at_home)
      prefetch_for_write(reinterpret_cast<const std::byte*>(&to.count(arrived + 1)),
                         sizeof to.count(arrived + 1));
}

template <class Memory>
std::uint64_t endpoint_in<Memory>::last_arrived(std::size_t arrival) const {
  const incoming& from = arrivals_[arrival];
  std::uint64_t in = 0;
  for (const typename signals::word& bank : *from.arrived)
    in = std::max(in, bank.value.load(std::memory_order_relaxed));
  return (in + from.count - 1 - from.number) / from.count;
}

template <class Memory>
bool endpoint_in<Memory>::source_free(std::size_t put, std::uint64_t exchange) {
  return fired(put, exchange);
}

template <class Memory>
std::byte* endpoint_in<Memory>::packing_memory(std::size_t put, std::uint64_t exchange) {
  outgoing& out = puts_[put];
  return out.packed_in_place() ? out.bank(exchange) : out.staging.data();
}

template <class Memory>
const std::byte* endpoint_in<Memory>::arrival_memory(std::size_t arrival,
                                                     std::uint64_t exchange) const {
  return arrivals_[arrival].place[exchange % 2];
}

}  // namespace onehop::stores
