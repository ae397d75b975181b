#include "netsim/engine/packet_trace.hpp"

#include <ostream>
#include <set>
#include <string>
#include <utility>

namespace onehop::netsim {

namespace {

constexpr std::uint32_t most_ports = 8192;

// Formats a time in microseconds, down to single picoseconds.
std::string microseconds(picoseconds t) {
  auto fraction = std::to_string(t % 1000000);
  fraction.insert(0, 6 - fraction.size(), '0');
  return std::to_string(t / 1000000) + "." + fraction;
}

}  // namespace

void packet_trace::write(std::ostream& out, const compiled_machine& machine) const {
  const auto stages = static_cast<std::uint32_t>(machine.stages.size());
  std::set<std::pair<std::uint32_t, std::uint32_t>> threads;
  const auto where = [&](const trace_span& span) -> std::pair<std::uint32_t, std::uint32_t> {
    if (span.stage != no_index) return {span.where, span.stage};
    const auto [router, port] = machine.net.from(span.where);
    return {router, stages + most_ports * machine.net.links[span.where].fabric + port};
  };
  const auto name = [&](std::uint32_t thread) {
    return thread < stages ? machine.stage_names[thread]
                           : "link " + std::to_string((thread - stages) % most_ports);
  };
  out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* separator = "\n";
  for (const auto& span : spans_) {
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
