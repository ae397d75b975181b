#pragma once
/// A trace records what a rank did when, for a timeline of the whole job:
///
///     auto recorder = std::make_shared<onehop::trace>();
///     ctx.set_trace(recorder);
///     ...
///     onehop::write_trace(ctx, "timeline.json");
///     ctx.set_trace(nullptr);

#include <onehop/detail/language.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace onehop {

class clock;
class context;

/// The times of an event are of the steady clock, which all processes of a machine share, or
/// virtual.
///
/// A chain records "start" and in it a "put" for each of its puts; "wait" or "wait for face", and
/// an "arrival" when it is first seen that a put has come. A put and its arrival agree in
/// `exchange`, `chain` and `arrival`; the put's `peer` is the rank of the arrival and the other way
/// round.
struct trace_event {
  const char* name;  ///< lives as long as the program, as a literal does
  std::int64_t begin_ns;
  std::int64_t end_ns;         ///< end of the span, equal to begin_ns for a moment
  std::uint64_t exchange = 0;  ///< exchange of a put chain, from 1; 0 for everything else
  std::int32_t peer = -1;      ///< rank that a put goes to or came from, -1 where there is none
  std::uint32_t chain = 0;     ///< for puts and arrivals, one number per commit, the same on all
                               ///< ranks
  std::int32_t arrival = -1;   ///< for puts and arrivals, the index of the arrival in the chain of
                               ///< its rank
};

/// A trace is memory for a fixed number of events, taken at construction: recording allocates
/// nothing, and events that do not fit are counted. It belongs to the thread of its context.
class trace {
 public:
  /// The constructor makes room for `capacity` events of 48 bytes.
  explicit trace(std::size_t capacity = std::size_t{1} << 18U);

  /// Adds an event; allocates nothing and reads no clock.
  void add(const trace_event& event) noexcept {
    if (events_.size() == events_.capacity()) {
      ++dropped_;
    } else {
      events_.push_back(event);
    }
  }
  /// Returns the events in the order in which they ended; they are valid as long as the recorder.
  std::span<const trace_event> events() const noexcept { return events_; }
  /// Returns the number of events for which there was no room.
  std::uint64_t dropped() const noexcept { return dropped_; }

  /// Takes times from this transport's clock from now on; context::set_trace calls it.
  void follow(std::shared_ptr<const onehop::clock> clock) noexcept { clock_ = std::move(clock); }
  std::int64_t now_ns() const noexcept;

 private:
  std::shared_ptr<const onehop::clock> clock_;
  std::vector<trace_event> events_;
  std::uint64_t dropped_ = 0;
};

/// Returns the events of one rank as lines of the Chrome trace format, with commas between them:
/// its track, a slice for each span, an arrow from each put to its arrival.
std::string timeline(int rank, std::span<const trace_event> events);

/// Writes what the ranks have recorded since their set_trace as a timeline for ui.perfetto.dev or
/// chrome://tracing, whole or not at all; dropped events are not in it. Collective. Throws
/// file_error on every rank when one cannot write.
void write_trace(const context& ctx, const std::string& file);

/// A trace_span records its own lifetime; it costs one comparison where `recorder` is null. A
/// program may record spans of its own, with ctx.trace() as recorder.
class trace_span {
 public:
  trace_span(trace* recorder, const char* name, std::uint64_t exchange = 0, std::int32_t peer = -1,
             std::uint32_t chain = 0, std::int32_t arrival = -1) noexcept
      : recorder_(recorder) {
    if (recorder_ != nullptr)
      event_ = {name, recorder->now_ns(), 0, exchange, peer, chain, arrival};
  }
  ~trace_span() {
    if (recorder_ == nullptr) return;
    event_.end_ns = recorder_->now_ns();
    recorder_->add(event_);
  }
  trace_span(const trace_span&) = delete;
  trace_span& operator=(const trace_span&) = delete;

 private:
  trace* recorder_;
  trace_event event_{};
};

}  // namespace onehop
