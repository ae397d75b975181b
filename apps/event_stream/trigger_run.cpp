#include "trigger_run.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

namespace event_stream {
namespace {

constexpr double most_seconds = 1e5;

/// These are summed over the ranks.
struct counts {
  std::uint64_t fragments_sent, fragments_taken, bytes, waited_ns;
  std::uint64_t damaged, out_of_order, unlike;
  std::uint64_t rings, kept_rings, kept_noise, fitted, decided_here;
  std::uint64_t true_rings, found_rings, false_rings;
};

std::vector<int> ranks_from(int first, int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

/// A rank has one of these two accounts; the other one is empty.
struct accounts {
  source_account sent;
  consumer_account taken;
  std::size_t kernel_buffer_bytes = std::numeric_limits<std::size_t>::max();
  decision_account decisions;
};

accounts play(const onehop::context& job, const stream_settings& how, wire_kind kind) {
  const event_table table(how.seed, how.hits);
  const auto sources = ranks_from(0, how.sources),
             consumers = ranks_from(how.sources, how.consumers);
  wire events = make_wire(kind, job, {sources, consumers, how.datagram_bytes, how.buffers});
  wire back = make_wire(kind, job, {consumers, {0}, how.datagram_bytes, how.buffers});
  accounts found;
  if (events.receiver) found.kernel_buffer_bytes = events.receiver->kernel_buffer_bytes();
  std::optional<decision_log> log;
  if (back.receiver) log.emplace(std::move(back.receiver), how);
  if (job.rank() < how.sources) {
    source board(table, how, job.rank(), std::move(events.sender), log ? &*log : nullptr);
    onehop::barrier(job);
    found.sent = board.run(run_clock(job));
  } else {
    consumer taker(job, table, how, std::move(events), std::move(back.sender));
    onehop::barrier(job);
    found.taken = taker.run(run_clock(job));
  }
  if (log) found.decisions = log->account();
  // No rank leaves before every receiver has seen the end of its incoming datagrams.
  onehop::barrier(job);
  return found;
}

counts counts_of(const accounts& mine, std::uint64_t fragments_sent) {
  const auto& [fragments, bytes, faults, trigger, waited_ns] = mine.taken;
  return {fragments_sent,     fragments,           bytes,
          waited_ns,          faults.damaged,      faults.out_of_order,
          faults.unlike,      trigger.rings,       trigger.kept_rings,
          trigger.kept_noise, trigger.fitted,      trigger.events,
          trigger.true_rings, trigger.found_rings, trigger.false_rings};
}

}  // namespace

void require_settings(const onehop::context& job, const stream_settings& how) {
  const auto refuse = [](const std::string& why) { throw onehop::usage_error(why); };
  if (how.sources < 1 || how.consumers < 1 || how.sources + how.consumers != job.size())
    refuse(std::to_string(how.sources) + " sources and " + std::to_string(how.consumers) +
           " consumers on " + std::to_string(job.size()) + " ranks; give a rank to each");
  if (how.by_load && how.sources > 1)
    refuse("consumers share by load, and there are " + std::to_string(how.sources) +
           " sources, whose fragments must meet; give one source");
  if (!(how.seconds > 0 && how.seconds <= most_seconds))
    refuse(std::to_string(how.seconds) + " seconds; more than 0 and at most 1e5 are possible");
  const std::size_t least =
      fragment_bytes(how.hits == hit_pattern::none ? 0 : most_hits, how.payload_bytes);
  if (how.payload_bytes % word_bytes != 0 || least > how.datagram_bytes ||
      how.datagram_bytes > most_fragment_bytes)
    refuse("datagrams of " + std::to_string(how.datagram_bytes) + " bytes for fragments of up to " +
           std::to_string(least) + " bytes, " + std::to_string(how.payload_bytes) +
           " of them payload; give a payload that is a multiple of 8 and datagrams that hold a "
           "fragment, of at most " +
           std::to_string(most_fragment_bytes) + " bytes");
  if (how.batch < 1) refuse("batches of 0 events; give at least 1");
}

run_report run_trigger(const onehop::context& job, const stream_settings& how, wire_kind kind) {
  require_settings(job, how);
  if (how.by_load && kind == wire_kind::udp)
    throw onehop::usage_error("wire udp does not tell a source who has room; share in turn");
  const accounts mine = play(job, how, kind);
  counts all = counts_of(mine, mine.sent.events);
  onehop::allreduce(job, std::span(&all.fragments_sent, sizeof all / sizeof(std::uint64_t)));
  std::array<double, 6> pulls{};
  std::ranges::copy(mine.taken.trigger.pulls, pulls.begin());
  std::ranges::copy(mine.taken.trigger.pull_squares, pulls.begin() + 3);
  onehop::allreduce_sum(job, pulls);
  std::array<double, 1> pressure{static_cast<double>(mine.sent.back_pressure_ns) * 1e-9};
  onehop::allreduce_max(job, pressure);
  std::array<std::uint64_t, 1> buffer{mine.kernel_buffer_bytes};
  onehop::allreduce<std::uint64_t>(job, buffer, onehop::reduction::min);

  run_report found;
  found.events = mine.sent.events;
  found.decisions = mine.decisions;
  found.decided = mine.decisions.latencies.total();
  found.fragments_sent = all.fragments_sent;
  found.fragments_taken = all.fragments_taken;
  found.bytes = all.bytes;
  found.time_s = static_cast<double>(mine.decisions.last_ns) * 1e-9;
  found.back_pressure_s = pressure[0];
  found.kernel_buffer_bytes = buffer[0];
  found.waited_us = all.decided_here == 0 ? 0
                                          : static_cast<double>(all.waited_ns) * 1e-3 /
                                                static_cast<double>(all.decided_here);
  found.faults = {all.damaged, all.out_of_order, all.unlike};
  found.trigger = {all.decided_here,
                   all.rings,
                   all.kept_rings,
                   all.kept_noise,
                   all.fitted,
                   all.true_rings,
                   all.found_rings,
                   all.false_rings,
                   {},
                   {}};
  std::copy_n(pulls.begin(), 3, found.trigger.pulls.begin());
  std::copy_n(pulls.begin() + 3, 3, found.trigger.pull_squares.begin());
  return found;
}

}  // namespace event_stream
