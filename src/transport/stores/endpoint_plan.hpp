#pragma once
/// Here an endpoint is made from a rank's plan: where its puts go, by which channel, and which
/// words announce them.

#include <algorithm>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "transport/stores/endpoint.hpp"

namespace onehop::stores {

template <class Memory>
endpoint_in<Memory>::endpoint_in(const chain_plan& plan, const exposed& memory,
                                 const channel_table& table, const first_look& patience, int rank,
                                 memory_id window, memory_id own)
    : banks_(static_cast<std::uint64_t>(plan.banks)),
      patience_(patience),
      own_stride_(plan.own_stride),
      held_(plan.held) {
  for (const planned_put& put : plan.puts) add_put(plan, put, memory, rank, window, own);
  add_arrivals(plan, memory, rank, own);
  take_turns(plan, memory, rank, window);
  choose_channels(table, rank, ghosts(plan, memory, rank, window));
}

template <class Memory>
auto endpoint_in<Memory>::signals_at(const exposed& memory, memory_id id, int rank,
                                     std::size_t index) -> signals& {
  // Exposed memory is zeroed, which is the initial state of the signals.
  return reinterpret_cast<signals*>(memory.share(id, rank).data())[index];
}

template <class Memory>
void endpoint_in<Memory>::add_put(const chain_plan& plan, const planned_put& put,
                                  const exposed& memory, int rank, memory_id window,
                                  memory_id own) {
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
  if (to->credit != nullptr && put.source.data == nullptr) {
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
template <class Memory>
void endpoint_in<Memory>::add_arrivals(const chain_plan& plan, const exposed& memory, int rank,
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

// A line that a rank stores to comes from the core that read it last, and returns when it is read
// there. Two ranks save one of these transfers if they write where they have just read. A put and
// the put that comes back share two places, one in either window, and swap them with every
// exchange. No place is written while the other rank still reads it, because its reader is the next
// to write it.
template <class Memory>
void endpoint_in<Memory>::take_turns(const chain_plan& plan, const exposed& memory, int rank,
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

template <class Memory>
std::vector<line_range> endpoint_in<Memory>::ghosts(const chain_plan& plan, const exposed& memory,
                                                    int rank, memory_id window) const {
  std::byte* const mine = memory.share(window, rank).data();
  const std::size_t stride = banks_ == 2 ? own_stride_ : 0;
  std::vector<line_range> found;
  for (const planned_arrival& from : plan.arrivals)
    if (from.origin != rank) found.push_back({mine + from.offset, stride, from.bytes});
  return found;
}

template <class Memory>
void endpoint_in<Memory>::choose_channels(const channel_table& table, int rank,
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

template <class Memory>
bool endpoint_in<Memory>::direct(std::size_t put) const {
  return puts_[put].packed_in_place();
}

template <class Memory>
bool endpoint_in<Memory>::streaming(std::size_t put) const {
  return puts_[put].way.which == channel::streaming && puts_[put].packed_in_place();
}

template <class Memory>
std::string endpoint_in<Memory>::describe(std::size_t put) const {
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
