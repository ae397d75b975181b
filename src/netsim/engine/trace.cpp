// A run as Chrome trace events: one process per node, one thread per stage and outgoing link.
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include "netsim/engine/engine.hpp"

namespace onehop::netsim {

namespace {

constexpr std::uint32_t most_ports = 8192;

// Microseconds with all their picoseconds.
std::string microseconds(picoseconds t) {
  auto fraction = std::to_string(t % 1000000);
  fraction.insert(0, 6 - fraction.size(), '0');
  return std::to_string(t / 1000000) + "." + fraction;
}

}  // namespace

void network::engine::write_trace(std::ostream& out) const {
  const auto stages = static_cast<std::uint32_t>(machine_.stages.size());
  std::set<std::pair<std::uint32_t, std::uint32_t>> threads;
  const auto where = [&](const trace_span& span) -> std::pair<std::uint32_t, std::uint32_t> {
    if (span.stage != none) return {span.place, span.stage};
    const auto [router, port] = machine_.net.from(span.place);
    return {router, stages + most_ports * machine_.net.wires[span.place].fabric + port};
  };
  const auto name = [&](std::uint32_t thread) {
    return thread < stages ? machine_.stage_names[thread]
                           : "link " + std::to_string((thread - stages) % most_ports);
  };
  out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* separator = "\n";
  for (const auto& span : trace_) {
    const auto [node, thread] = where(span);
    threads.insert({node, thread});
    out << separator << R"({"ph":"X","pid":)" << node << R"(,"tid":)" << thread << R"(,"name":")"
        << name(thread) << R"(","ts":)" << microseconds(span.start) << R"(,"dur":)"
        << microseconds(span.length) << R"(,"args":{"message":)" << span.token << "}}";
    separator = ",\n";
  }
  for (const auto& [node, thread] : threads) {
    out << separator << R"({"ph":"M","pid":)" << node << R"(,"tid":)" << thread
        << R"(,"name":"thread_name","args":{"name":")" << name(thread) << "\"}}";
    separator = ",\n";
  }
  out << "\n]}\n";
}

}  // namespace onehop::netsim
