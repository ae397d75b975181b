#pragma once
// Python gets the events of a recorder as tuples.

#include <onehop/trace.hpp>
#include <string>
#include <tuple>
#include <vector>

/// An event is the tuple (name, begin_ns, end_ns, exchange, peer, chain, arrival).
using event_tuple =
    std::tuple<std::string, std::int64_t, std::int64_t, std::uint64_t, int, std::uint32_t, int>;

/// Returns events whose names live as long as the tuples.
inline std::vector<onehop::trace_event> events_of(const std::vector<event_tuple>& tuples) {
  std::vector<onehop::trace_event> events;
  for (const auto& [name, begin_ns, end_ns, exchange, peer, chain, arrival] : tuples)
    events.push_back({name.c_str(), begin_ns, end_ns, exchange, peer, chain, arrival});
  return events;
}

inline std::vector<event_tuple> tuples_of(const onehop::trace& recorder) {
  std::vector<event_tuple> events;
  events.reserve(recorder.events().size());
  for (const onehop::trace_event& e : recorder.events())
    events.emplace_back(e.name, e.begin_ns, e.end_ns, e.exchange, e.peer, e.chain, e.arrival);
  return events;
}
