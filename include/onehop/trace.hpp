#pragma once
/// What a rank did when, for a timeline of the whole job.

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace onehop {

class wire;

/// Times are of the steady clock, which all processes of a machine share, or virtual.
struct trace_event {
  const char* name;  ///< lives as long as the program: "start", "wait", "arrival", ...
  std::int64_t begin_ns;
  std::int64_t end_ns;     ///< equal to begin_ns for a moment
  std::uint64_t exchange;  ///< of a put chain; 0 for everything else
  std::int32_t peer;       ///< rank it came from, -1 where there is none
};

/// Memory for a fixed number of events, taken at construction: recording allocates nothing, and
/// what does not fit is counted. Belongs to the thread of its context.
class trace {
 public:
  explicit trace(std::size_t capacity = std::size_t{1} << 18U);

  void add(const trace_event& event) noexcept {
    if (events_.size() == events_.capacity()) {
      ++dropped_;
    } else {
      events_.push_back(event);
    }
  }
  std::span<const trace_event> events() const noexcept { return events_; }
  std::uint64_t dropped() const noexcept { return dropped_; }

  /// From now on times are of this wire's clock.
  void follow(std::shared_ptr<const wire> clock) noexcept { clock_ = std::move(clock); }
  std::int64_t now_ns() const noexcept;

 private:
  std::shared_ptr<const wire> clock_;
  std::vector<trace_event> events_;
  std::uint64_t dropped_ = 0;
};

/// Records its own lifetime; costs one comparison where `recorder` is null.
class trace_span {
 public:
  trace_span(trace* recorder, const char* name, std::uint64_t exchange = 0,
             std::int32_t peer = -1) noexcept
      : recorder_(recorder) {
    if (recorder_ != nullptr) event_ = {name, recorder->now_ns(), 0, exchange, peer};
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
