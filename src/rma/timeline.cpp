#include <algorithm>
#include <cstdio>
#include <fstream>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/trace.hpp>
#include <string_view>

#include "base/text.hpp"
#include "base/words.hpp"
#include "transport/base/clock.hpp"

namespace onehop {
namespace {

/// The trace format counts in microseconds.
std::string in_us(std::int64_t ns) {
  const std::string digits = std::to_string(ns % 1000);
  return text(ns / 1000, ".", std::string(3 - digits.size(), '0'), digits);
}

bool is_put(const trace_event& event) { return std::string_view(event.name) == "put"; }

std::string args_of(const trace_event& event) {
  std::string args;
  if (event.exchange != 0) args = text("\"exchange\": ", event.exchange);
  if (event.peer >= 0) args += text(args.empty() ? "" : ", ", "\"from_rank\": ", event.peer);
  return args;
}

/// An arrow begins in the slice of the start and ends in the slice of the arrival.
std::string arrow_of(const trace_event& event, int rank, const std::string& at) {
  return text(R"({"name": "put", "cat": "put", "id": ")", event.chain, ".", event.exchange, ".",
              is_put(event) ? event.peer : rank, ".", event.arrival, "\", ",
              is_put(event) ? R"("ph": "s", )" : R"("ph": "f", "bp": "e", )", at, "}");
}

void append(const std::string& file, std::string_view lines, bool first) {
  std::ofstream out(file, first ? std::ios::trunc : std::ios::app);
  out << lines;
  out.close();
  if (!out) throw file_error(text(file, ": cannot be written: name a file in a folder with room"));
}

}  // namespace

std::string timeline(int rank, std::span<const trace_event> events) {
  const std::string track = text("\"pid\": 0, \"tid\": ", rank);
  std::string lines =
      text(R"({"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "onehop"}})", ",\n",
           R"({"ph": "M", "name": "thread_name", )", track, R"(, "args": {"name": "rank )", rank,
           "\"}}");
  // Events are recorded when they end; this order puts a span before the spans that it contains.
  std::vector<trace_event> sorted(events.begin(), events.end());
  // Viewers attach arrows only to spans with a duration; in virtual time many spans have none.
  for (trace_event& event : sorted)
    if (!is_put(event)) event.end_ns = std::max(event.end_ns, event.begin_ns + 1);
  std::ranges::stable_sort(sorted, [](const trace_event& a, const trace_event& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  for (const trace_event& event : sorted) {
    const std::string at = text("\"ts\": ", in_us(event.begin_ns), ", ", track);
    if (!is_put(event))
      lines += text(",\n{\"name\": ", quoted(event.name), R"(, "ph": "X", "dur": )",
                    in_us(event.end_ns - event.begin_ns), ", ", at, R"(, "args": {)",
                    args_of(event), "}}");
    if (event.arrival >= 0) lines += ",\n" + arrow_of(event, rank, at);
  }
  return lines;
}

void write_trace(const context& ctx, const std::string& file) {
  const std::string partial = file + ".partial";
  const trace* const recorder = ctx.trace();
  const auto events = recorder ? recorder->events() : std::span<const trace_event>();
  try {
    for (int rank = 0; rank < ctx.size(); ++rank)
      together(ctx, [&] {
        if (rank != ctx.rank()) return;
        const std::string begin =
            rank == 0 ? "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n" : ",\n";
        append(partial, begin + timeline(rank, events) + (rank + 1 == ctx.size() ? "\n]}\n" : ""),
               rank == 0);
      });
    together(ctx, [&] {
      if (ctx.rank() == 0 && std::rename(partial.c_str(), file.c_str()) != 0)
        throw file_error(text(file, ": cannot be written: name a file in a folder with room"));
    });
  } catch (const error&) {
    if (ctx.rank() == 0) std::remove(partial.c_str());
    throw;
  }
}

std::int64_t trace::now_ns() const noexcept {
  const auto now = clock_ ? clock_->now() : std::chrono::steady_clock::now();
  return now.time_since_epoch() / std::chrono::nanoseconds(1);
}

trace::trace(std::size_t capacity) { events_.reserve(capacity); }

}  // namespace onehop
