#pragma once
/// A trace records what a rank did and when, for a timeline of the whole job:
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

/// A trace_event holds times of the steady clock, which all processes of a machine share, or
/// virtual times.
///
/// A chain records "start" and within it a "put" for each of its puts, "wait" or "wait for face",
/// and an "arrival" when a rank first sees that a put has arrived. A put and its arrival have the
/// same `exchange`, `chain` and `arrival`; `peer` of the put is the rank of the arrival, and `peer`
/// of the arrival is the rank of the put.
struct trace_event {
  const char* name;  ///< must live as long as the program, as a literal does
  std::int64_t begin_ns;
  std::int64_t end_ns;         ///< end of the span, equal to begin_ns for an event without duration
  std::uint64_t exchange = 0;  ///< number of the exchange of a put chain, from 1; 0 for all other
                               ///< events
  std::int32_t peer = -1;      ///< rank to which a put goes or from which it came, -1 if there is
                               ///< none
  std::uint32_t chain = 0;     ///< for puts and arrivals, one number per commit, the same on all
                               ///< ranks
  std::int32_t arrival = -1;   ///< for puts and arrivals, the index of the arrival in the receiving
                               ///< rank's chain
};

/// A trace is memory for a fixed number of events, allocated at construction: recording allocates
/// nothing, and events that do not fit are only counted. It belongs to the thread of its context.
class trace {
 public:
  /// Allocates memory for `capacity` events of 48 bytes.
  explicit trace(std::size_t capacity = std::size_t{1} << 18U);

  /// Adds an event; allocates nothing and reads no clock.
  void add(const trace_event& event) noexcept {
    if (events_.size() == events_.capacity()) {
      ++dropped_;
    } else {
      events_.push_back(event);
    }
  }
  /// Returns the events in the order in which they ended. They are valid as long as the recorder.
  std::span<const trace_event> events() const noexcept { return events_; }
  /// Returns the number of events for which there was no room.
  std::uint64_t dropped() const noexcept { return dropped_; }

  /// Uses this transport's clock from now on; context::set_trace calls it.
  void follow(std::shared_ptr<const onehop::clock> clock) noexcept { clock_ = std::move(clock); }
  std::int64_t now_ns() const noexcept;

 private:
  std::shared_ptr<const onehop::clock> clock_;
  std::vector<trace_event> events_;
  std::uint64_t dropped_ = 0;
};

/// Returns the events of one rank as lines of the Chrome trace format, separated by commas: the
/// rank's track, a slice for each span, and an arrow from each put to its arrival.
std::string timeline(int rank, std::span<const trace_event> events);

/// Writes what the ranks have recorded since their set_trace as a timeline for ui.perfetto.dev or
/// chrome://tracing. The file is written completely or not at all, without the dropped events.
/// Collective. Throws file_error on every rank if any rank cannot write.
void write_trace(const context& ctx, const std::string& file);

/// A trace_span records its own lifetime. It costs one comparison if `recorder` is null. A program
/// may record its own spans with ctx.trace() as recorder.
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
