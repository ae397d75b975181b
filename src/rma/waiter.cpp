#include "rma/waiter.hpp"

#include <algorithm>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "rma/numbering.hpp"
#include "transport/base/transport.hpp"

namespace onehop {
namespace {

const missing_piece* first_departed(const context& ctx, const wait_report& wait) {
  const auto departed = std::ranges::find_if(
      wait.missing, [&](const missing_piece& piece) { return failure_of(ctx).left(piece.rank); });
  return departed == wait.missing.end() ? nullptr : &*departed;
}

/// Returns what is missing, or only the beginning of a long list.
std::string list(const wait_report& wait) {
  constexpr std::size_t most = 8;
  std::string all;
  for (std::size_t k = 0; k < std::min(most, wait.missing.size()); ++k)
    all += (k == 0 ? "" : "; ") + wait.missing[k].what;
  if (wait.missing.size() > most) all += text("; and ", wait.missing.size() - most, " more");
  return all;
}

}  // namespace

waiter::waiter(const context& ctx)
    : ctx_(ctx),
      begin_(clock_of(ctx).now()),
      next_look_(begin_ +
                 std::min<clock::duration>(clock_of(ctx).look_interval({}), ctx.deadline())) {}

bool waiter::pass() { return clock_of(ctx_).idle(turn_++, next_look_); }

void waiter::look_around(const std::function<wait_report()>& report) {
  failure_of(ctx_).probe();
  wait_report wait = report();
  if (first_departed(ctx_, wait) != nullptr) {
    // Data that a rank sent before it departed may have come between the report and the check of
    // the rank.
    wait = report();
    if (const missing_piece* gone = first_departed(ctx_, wait))
      throw peer_error(text("rank ", gone->rank, " left the ",
                            transport_of(ctx_).is_part() ? "group" : "job", " while rank ",
                            ctx_.rank(), " waits ", wait.activity, ": ", gone->what,
                            "; every rank must take part until the end", numbering(ctx_)));
  }
  const auto now = clock_of(ctx_).now();
  next_look_ = std::min(now + clock_of(ctx_).look_interval(now - begin_), begin_ + ctx_.deadline());
  if (now < begin_ + ctx_.deadline() || wait.missing.empty()) return;
  const std::chrono::duration<double> waited = now - begin_;
  const std::string waits =
      text("rank ", ctx_.rank(), " of ", ctx_.size(), " waited ", waited.count(), " ",
           clock_of(ctx_).second(), " ", wait.activity, ": ", list(wait), numbering(ctx_));
  failure_of(ctx_).timed_out(waits);
  throw timeout_error(waits + "; find out what those ranks do, or raise ONEHOP_DEADLINE_S");
}

}  // namespace onehop
