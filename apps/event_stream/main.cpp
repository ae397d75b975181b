// event_stream EVENTS_PER_S [SECONDS [SOURCES [WIRE [SEED]]]] passes events from the first ranks to
// the others and prints what became of them. It runs under `onehop run -n N --` and under mpirun.
#include "trigger_run.hpp"

#include <common/program.hpp>

#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace {

using app_common::number;

/// Returns 1 if an event was not decided correctly.
int run(const onehop::context& job, const app_common::words& words) {
  if (words.empty() || words.size() > 5)
    throw std::invalid_argument(
        "1 to 5 words are needed: EVENTS_PER_S [SECONDS [SOURCES [WIRE [SEED]]]]");
  event_stream::stream_settings how;
  how.events_per_s = number<double>(words[0]);
  if (words.size() > 1) how.seconds = number<double>(words[1]);
  if (words.size() > 2) how.sources = number<int>(words[2]);
  how.consumers = job.size() - how.sources;
  const auto kind = event_stream::wire_named(words.size() > 3 ? words[3] : "put");
  if (words.size() > 4) how.seed = number<std::uint64_t>(words[4]);
  const auto found = event_stream::run_trigger(job, how, kind);
  const auto& latencies = found.decisions.latencies;
  if (job.rank() == 0)
    std::printf("%llu events %llu decided %.1f MB/s p50 %.1f p99 %.1f max %.1f us %llu kept\n",
                static_cast<unsigned long long>(found.events),
                static_cast<unsigned long long>(found.decided),
                1e-6 * static_cast<double>(found.bytes) / found.time_s,
                1e-3 * static_cast<double>(latencies.percentile_ns(0.5)),
                1e-3 * static_cast<double>(latencies.percentile_ns(0.99)),
                1e-3 * static_cast<double>(latencies.most_ns()),
                static_cast<unsigned long long>(found.decisions.kept));
  if (job.rank() != 0) return 0;
  const std::uint64_t lost =
      kind == event_stream::wire_kind::put ? found.events - found.decided : 0;
  return lost + found.faults.total() + found.decisions.repeated == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  return app_common::run_program("event_stream", count, words, run);
}
