#include "transport/stores/endpoint.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "machine/streaming.hpp"
#include "rma/copy_view.hpp"
#include "transport/stores/lines.hpp"

namespace onehop::stores {
namespace {

/// Waits for single puts are told after this many bytes; fewer are told together, since each store
/// to a flag takes its line from the rank that looks at it.
constexpr std::size_t told_together_bytes = 8192;

signals& signals_at(const exposed_blocks& memory, memory_id id, int rank, std::size_t index) {
  // Exposed memory is zeroed, which is the initial state of the signals.
  return reinterpret_cast<signals*>(memory.share(id, rank).data())[index];
}

}  // namespace

endpoint::endpoint(const chain_plan& plan, const exposed_blocks& memory, const channel_table& table,
                   const first_look& patience, int rank, memory_id window, memory_id own)
    : banks_(static_cast<std::uint64_t>(plan.banks)),
      patience_(patience),
      own_stride_(plan.own_stride),
      held_(plan.held) {
  for (const planned_put& put : plan.puts) add_put(plan, put, memory, rank, window, own);
  add_arrivals(plan, memory, rank, own);
  take_turns(plan, memory, rank, window);
  choose_channels(table, rank, ghosts(plan, memory, rank, window));
}

void endpoint::add_put(const chain_plan& plan, const planned_put& put, const exposed_blocks& memory,
                       int rank, memory_id window, memory_id own) {
  auto to = std::ranges::find(lanes_, put.target, &lane::target);
  if (to == lanes_.end()) {
    const auto arrival = static_cast<std::size_t>(put.arrival);
    const auto number = static_cast<std::size_t>(put.number);
    const auto* credit =
        put.needs_credit ? &signals_at(memory, own, rank, number).credit.value : nullptr;
    auto* arrived = &signals_at(memory, own, put.target, arrival).arrived;
    to = lanes_.insert(to, {put.target, arrived, credit, {}});
    to->at_home = put.target == rank;
  }
  outgoing& added = puts_.emplace_back();
  added.number = put.number;
  added.place = to->puts.size();
  to->puts.push_back(puts_.size() - 1);
  added.source = put.source;
  added.bytes = put.source.bytes();
  added.target = memory.share(window, put.target).data() + put.target_offset;
  added.bank_stride = banks_ == 2 ? put.target_stride : 0;
  added.lane = static_cast<std::size_t>(to - lanes_.begin());
  if (to->credit != nullptr && put.source.data == nullptr && !put.packed_when_ready) {
    added.staging.resize(put.source.bytes());
    added.source = local_view::contiguous(added.staging);
  }
  to->copies |= !added.packed_in_place();
  if (!put.variable) return;
  to->varies = true;
  added.size = &plan.size_of(put);
  added.told = &signals_at(memory, own, put.target, static_cast<std::size_t>(put.arrival)).arrived;
}

// The k-th put from a rank is the k-th arrival from it, so that both sides count alike.
void endpoint::add_arrivals(const chain_plan& plan, const exposed_blocks& memory, int rank,
                            memory_id own) {
  std::map<int, std::vector<std::size_t>> from_origin;
  for (std::size_t i = 0; i < plan.arrivals.size(); ++i)
    from_origin[plan.arrivals[i].origin].push_back(i);
  arrivals_.resize(plan.arrivals.size());
  const auto own_words = [&](std::size_t index) {
    const auto number = static_cast<std::size_t>(plan.arrivals[index].number);
    return &signals_at(memory, own, rank, number).arrived;
  };
  for (const auto& [origin, indices] : from_origin) {
    const planned_arrival& first = plan.arrivals[indices.front()];
    const auto* const arrived = own_words(indices.front());
    for (std::size_t place = 0; place < indices.size(); ++place)
      arrivals_[indices[place]] = {arrived, place, indices.size(), own_words(indices[place])};
    last_arrivals_.push_back(arrivals_[indices.back()]);
    const auto put = static_cast<std::size_t>(first.put);
    if (first.gives_credit) credits_.push_back(&signals_at(memory, own, origin, put).credit.value);
  }
}

// A line that a rank stores to comes from the core that read it last, and goes back once it is read
// there. Two ranks that write where they have just read save one of the ways: a put and the one
// that comes back share two places, one in either's window, and change them with every exchange.
// Neither is written by one rank while the other still reads it, since the reader is who writes it
// next.
void endpoint::take_turns(const chain_plan& plan, const exposed_blocks& memory, int rank,
                          memory_id window) {
  const auto turns = turns_of(plan, rank);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (!turns[i]) continue;
    outgoing& put = puts_[i];
    std::byte* const here = memory.share(window, rank).data() + plan.arrivals[*turns[i]].offset;
    arrivals_[*turns[i]].place = {put.target, here};
    put.bank_stride = static_cast<std::size_t>(here - put.target);
    put.in_turns = true;
  }
}

bool endpoint::ready(const lane& to, std::uint64_t exchange) const {
  if (to.credit == nullptr) return true;
  // Acquire is needed, so that the target's reads of the bank come before our stores to it.
  return to.credit->load(std::memory_order_acquire) + banks_ > exchange;
}

// These stores need no release of their own: the stores to the counts, which come after them,
// release them.
void endpoint::tell_size(const outgoing& put, std::uint64_t exchange) const {
  if (put.size != nullptr)
    (*put.told)[exchange % 2].bytes.store(*put.size, std::memory_order_relaxed);
}

void endpoint::raise_count(const lane& to, std::uint64_t exchange, std::size_t puts) const {
  // Stores that bypass the caches are outside the memory model: no release orders them.
  if (to.streams) streaming_fence();
  // Release is needed, so that the bytes, also those that the caller has packed into the target,
  // are there before the count.
  to.count(exchange).store((exchange - 1) * to.puts.size() + puts, std::memory_order_release);
}

void endpoint::fire(lane& to, std::uint64_t exchange) {
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

// One count stands for all puts to a target, so that a put leaves with those before it.
bool endpoint::fire_part(lane& to, std::uint64_t exchange) {
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

std::size_t endpoint::copy(const outgoing& put, std::uint64_t exchange) const {
  if (put.packed_in_place()) return 0;
  const local_view view = put.view();
  if (view.block_bytes == 0) return 0;
  if (put.way.which == channel::streaming)
    stream_view(view, put.bank(exchange));
  else
    copy_view(view, put.bank(exchange));
  return view.bytes();
}

void endpoint::demote_lines(const outgoing& put, std::uint64_t exchange) const {
  if (put.way.which == channel::demote) demote(put.bank(exchange), put.view().bytes());
}

bool endpoint::start(std::uint64_t exchange) {
  if (begun_ != exchange) {
    begun_ = exchange;
    // Release is needed, so that our reads of what came before are over when the origin sees the
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
  // A rank that only sends or only receives has nothing to be early for.
  if (!lanes_.empty() && !arrivals_.empty()) patience_.begin();
  return all;
}

bool endpoint::ready(std::uint64_t exchange) {
  return std::ranges::all_of(lanes_, [&](const lane& to) { return ready(to, exchange); });
}

bool endpoint::fired(std::size_t put, std::uint64_t exchange) const {
  const lane& to = lanes_[puts_[put].lane];
  return to.fired == exchange || puts_[put].place < to.left;
}

bool endpoint::incoming::is_in(std::uint64_t exchange) const {
  // Acquire is needed, so that reads of the bytes come after the count. An origin may be one
  // exchange ahead.
  return (*arrived)[exchange % 2].value.load(std::memory_order_acquire) >
         (exchange - 1) * count + number;
}

bool endpoint::arrived(std::size_t arrival, std::uint64_t exchange) {
  return arrivals_[arrival].is_in(exchange);
}

std::size_t endpoint::arrived_bytes(std::size_t arrival, std::uint64_t exchange) const {
  // A relaxed load is enough, since the load that saw the count has acquired it.
  return (*arrivals_[arrival].own)[exchange % 2].bytes.load(std::memory_order_relaxed);
}

std::optional<bool> endpoint::complete(std::uint64_t exchange) {
  if (!patience_.over()) return false;
  // All sources are free once start has returned true, and puts arrive in order, so that the last
  // from each origin stands for all.
  for (const incoming& last : last_arrivals_)
    if (!last.is_in(exchange)) return false;
  prefetch_lines(exchange);
  return true;
}

// The target has read its other bank in the exchange before, so that our next stores there would
// each have to take a line back from it. Prefetched now, the lines come while the caller works on
// what has arrived. This is only a hint: it neither reads nor writes.
void endpoint::prefetch_lines(std::uint64_t arrived) const {
  if (!hints_.empty()) hints_.give(arrived);
  for (const lane& to : lanes_)
    if (!to.at_home)
      prefetch_for_write(reinterpret_cast<const std::byte*>(&to.count(arrived + 1)),
                         sizeof to.count(arrived + 1));
}

std::vector<line_range> endpoint::ghosts(const chain_plan& plan, const exposed_blocks& memory,
                                         int rank, memory_id window) const {
  std::byte* const mine = memory.share(window, rank).data();
  const std::size_t stride = banks_ == 2 ? own_stride_ : 0;
  std::vector<line_range> found;
  for (const planned_arrival& from : plan.arrivals)
    if (from.origin != rank) found.push_back({mine + from.offset, stride, from.bytes});
  return found;
}

void endpoint::choose_channels(const channel_table& table, int rank,
                               const std::vector<line_range>& ghosts) {
  bool reads_early = false;
  std::vector<line_range> prefetched;
  std::size_t total = 0;
  for (const outgoing& put : puts_)
    if (lanes_[put.lane].target != rank) total += put.bytes;
  for (outgoing& put : puts_) {
    lane& to = lanes_[put.lane];
    put.at_home = to.target == rank;
    if (!put.at_home)
      put.way = put.in_turns ? channel_table::in_turns().choose(total, false)
                             : table.choose(total, !put.packed_in_place());
    to.demotes |= put.way.which == channel::demote;
    to.streams |= put.way.which == channel::streaming;
    const bool prefetches = put.way.which == channel::prefetch || put.way.which == channel::demote;
    // The target of a put with credit may still be reading, so its lines are not prefetched.
    if (prefetches && to.credit == nullptr) {
      prefetched.push_back({put.target, put.bank_stride, put.bytes});
      reads_early |= !put.in_turns && put.way.which == channel::prefetch;
    }
  }
  hints_ = {prefetched, reads_early ? ghosts : std::vector<line_range>()};
}

std::uint64_t endpoint::last_arrived(std::size_t arrival) const {
  const incoming& from = arrivals_[arrival];
  std::uint64_t in = 0;
  for (const signals::word& bank : *from.arrived)
    in = std::max(in, bank.value.load(std::memory_order_relaxed));
  return (in + from.count - 1 - from.number) / from.count;
}

bool endpoint::source_free(std::size_t put, std::uint64_t exchange) { return fired(put, exchange); }

std::byte* endpoint::packing_memory(std::size_t put, std::uint64_t exchange) {
  outgoing& out = puts_[put];
  return out.packed_in_place() ? out.bank(exchange) : out.staging.data();
}

const std::byte* endpoint::arrival_memory(std::size_t arrival, std::uint64_t exchange) const {
  return arrivals_[arrival].place[exchange % 2];
}

bool endpoint::direct(std::size_t put) const { return puts_[put].packed_in_place(); }

bool endpoint::streaming(std::size_t put) const {
  return puts_[put].way.which == channel::streaming && puts_[put].packed_in_place();
}

std::string endpoint::describe(std::size_t put) const {
  const outgoing& out = puts_[put];
  const lane& to = lanes_[out.lane];
  const std::string_view source = out.packed_in_place() ? "packed straight into the target"
                                  : out.staging.empty() ? "copied into the target"
                                                        : "packed here, copied into the target";
  const std::size_t most = out.way.up_to_bytes;
  const bool any = most == std::numeric_limits<std::size_t>::max();
  const std::string reason =
      any ? std::string("the chain sends more than the other channels are for")
          : text("the chain sends up to ", most, " bytes");
  const std::string_view credit = to.credit == nullptr ? "no credit: the target puts back"
                                  : banks_ == 1
                                      ? "with credit, not prefetched: the window has one bank"
                                      : "with credit, not prefetched: the target puts nothing back";
  if (out.in_turns)
    return text(source, ", in turns with what it puts back: each writes where it has read before");
  if (out.at_home) return text(source, ", which is this rank: nothing travels; ", credit);
  return text(source, ", channel ", name(out.way.which), " (", explain(out.way.which),
              "): ", reason, "; ", credit);
}

}  // namespace onehop::stores
