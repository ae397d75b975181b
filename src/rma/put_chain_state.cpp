#include "rma/put_chain_state.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/trace.hpp>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "rma/chain_check.hpp"
#include "rma/chain_gather.hpp"
#include "rma/chain_planning.hpp"
#include "rma/numbering.hpp"

namespace onehop {

namespace {

std::uint32_t next_unique() noexcept {
  static std::atomic<std::uint32_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

put_chain::state::state(const context& job, const window& into, const chain_identity& named)
    : ctx(job), target(into) {
  name = named;
}

put_chain::state::~state() { transport_of(ctx).tasks().remove(*this); }

std::unique_ptr<put_chain::state> put_chain::state::make(const context& ctx, const window& target) {
  const chain_identity name{next_unique(), ctx.rank(), transport_of(ctx).next_chain()};
  return std::make_unique<state>(ctx, target, name);
}

std::unique_ptr<put_chain::state> put_chain::state::described_anew() const {
  auto anew =
      std::make_unique<state>(ctx, target, chain_identity{next_unique(), name.rank, name.chain});
  anew->device.stream = device.stream;
  anew->device.wants_stream = device.wants_stream;
  return anew;
}

void put_chain::state::find_homes(const chain_description& chain) {
  std::byte* const first =
      chain.registered ? target.shared()->existing.data() : target.shared()->memory->local().data();
  homes.assign(origins.size(), {});
  for (const chain_edge& put : pair_up(chain)) {
    if (put.target != ctx.rank()) continue;
    std::byte* const odd = first + put.offset;
    homes[static_cast<std::size_t>(put.arrival)] = {{odd + plan.own_bank_offset(2), odd},
                                                    put.layout};
  }
}

void put_chain::state::make_plan_to_windows(const chain_description& chain) {
  plan = plan_chain(chain, ctx.rank(), sources);
  homes.clear();
  landing.reset();
  if (lands(chain)) find_homes(chain);
}

void put_chain::state::make_plan(const chain_description& chain) {
  make_plan_to_windows(chain);
  if (!lands(chain)) return;
  plan = plan_chain(landing_of(chain), ctx.rank(), sources);
  landing = exposed_memory::expose(ctx, 2 * plan.own_stride);
}

void put_chain::state::find_ghosts() {
  const std::byte* const mine = destination().local().data();
  ghosts.clear();
  landed.clear();
  variable_arrivals.clear();
  for (std::size_t arrival = 0; arrival < plan.arrivals.size(); ++arrival) {
    const planned_arrival& from = plan.arrivals[arrival];
    if (from.variable) variable_arrivals.push_back(arrival);
    const std::array<const std::byte*, 2> comes{mine + plan.own_bank_offset(2) + from.offset,
                                                mine + plan.own_bank_offset(1) + from.offset};
    if (homes.empty()) {
      ghosts.push_back({comes, from.bytes});
      continue;
    }
    landed.push_back(comes);
    const arrival_home& home = homes[arrival];
    ghosts.push_back({{home.bank[0], home.bank[1]}, from.bytes});
    if (home.layout == nullptr) continue;
    const byte_extent all = *home.layout->extent();
    for (const std::byte*& bank : ghosts.back().bank) bank += all.begin;
    ghosts.back().bytes = static_cast<std::size_t>(all.end - all.begin);
  }
}

void put_chain::state::find_packings() {
  for (std::size_t arrival = 0; arrival < ghosts.size(); ++arrival)
    for (const std::uint64_t odd : {0, 1})
      if (const std::byte* const place = runner->arrival_memory(arrival, 2 + odd))
        (homes.empty() ? ghosts[arrival].bank : landed[arrival])[odd] = place;
  for (std::size_t put = 0; put < sources.size(); ++put) {
    packings.push_back({});
    if (sources[put].data == nullptr)
      packings.back() = {{runner->packing_memory(put, 2), runner->packing_memory(put, 1)},
                         sources[put].bytes()};
  }
}

chain_description put_chain::state::plan_with_partners() {
  chain_description chain;
  for (chain_entry& entry : entries) entry.in_turns = in_turns;
  with_numbering(ctx, [&] {
    chain = gather_chain(ctx, *target.shared(), entries, starts);
    together(ctx, [&] {
      check_chain(chain);
      if (chain.seen_by == chain_description::everyone) return;
      make_plan_to_windows(chain);
      // From here on this rank waits for others. Thousands of virtual ranks share one memory, so it
      // is freed.
      chain = {};
      chain.seen_by = ctx.rank();
    });
  });
  return chain;
}

bool put_chain::state::here(std::size_t arrival) {
  if (has_seen(arrival)) return true;
  if (!runner->arrived(arrival, exchange)) return false;
  seen[arrival] = exchange;
  if (plan.arrivals[arrival].variable) measure(arrival);
  const trace_span span(ctx.trace(), "arrival", exchange, origins[arrival], memory->id(),
                        static_cast<std::int32_t>(arrival));
  // Arrivals destined for a device's memory were brought there by its engine.
  if (landing && !target.on_device()) bring_home(arrival);
  return true;
}

void put_chain::state::bring_home(std::size_t arrival) const {
  const arrival_home& home = homes[arrival];
  const std::byte* const from = landed[arrival][exchange % 2];
  std::byte* const to = home.bank[exchange % 2];
  if (home.layout != nullptr)
    home.layout->spread(from, to);
  else
    copy_bytes(to, from, ghosts[arrival].bytes);
}

bool put_chain::state::complete() {
  if (in_part) [[unlikely]]
    return false;
  // A timeline records when each arrival came, and an arrival in the landing zone is copied home.
  // Both require a look at each arrival.
  if (ctx.trace() == nullptr && homes.empty())
    if (const auto known = runner->complete(exchange)) {
      if (!*known) return false;
      for (const std::size_t arrival : variable_arrivals) measure(arrival);
      completed = exchange;
      return true;
    }
  bool all = true;
  for (std::size_t arrival = 0; arrival < seen.size(); ++arrival) all &= here(arrival);
  for (std::size_t put = 0; put < sources.size(); ++put) all &= runner->source_free(put, exchange);
  if (all) completed = exchange;
  if (all && device.endpoint != nullptr) device.endpoint->completed();
  return all;
}

void put_chain::state::await_one_of(std::string_view call, std::span<const notification> arrivals) {
  require_started(call);
  require_owner(call);
  if (arrivals.empty())
    throw usage_error(text("rank ", ctx.rank(), ": ", call,
                           " of no arrivals, which would wait for ever: give at least one"));
  for (const notification& arrival : arrivals) (void)checked(arrival);
  const trace_span span(ctx.trace(), "wait for any face", exchange);
  wait_until(
      ctx, [&] { return std::ranges::any_of(arrivals, [&](auto one) { return here(one); }); },
      [&] { return absent(); });
}

void put_chain::state::await_start() {
  wait_until(
      ctx, [&] { return runner->start(exchange); }, [&] { return unfired(); });
}

void put_chain::state::await_all() {
  wait_until(
      ctx, [&] { return complete(); }, [&] { return absent(); });
}

void put_chain::state::start_recorded(trace& recorder) {
  const trace_span span(&recorder, "start", exchange);
  const std::int64_t now = recorder.now_ns();
  for (const planned_put& put : plan.puts)
    recorder.add({"put", now, now, exchange, put.target, memory->id(), put.arrival});
  if (!runner->start(exchange)) await_start();
}

void put_chain::state::wait_recorded(trace& recorder) {
  const trace_span span(&recorder, "wait", exchange);
  if (!complete()) await_all();
}

wait_report put_chain::state::unfired() const {
  wait_report wait{text("to start exchange ", exchange, " of a put chain"), {}};
  for (std::size_t put = 0; put < sources.size(); ++put)
    if (const int rank = plan.puts[put].target; !runner->fired(put, exchange))
      wait.missing.push_back(
          {rank, text("put ", put, " needs room at rank ", rank, ", which is exchanges behind")});
  return wait;
}

wait_report put_chain::state::absent() const {
  wait_report wait{text("in exchange ", exchange, " of a put chain"), {}};
  for (std::size_t arrival = 0; arrival < seen.size(); ++arrival) {
    if (runner->arrived(arrival, exchange)) continue;
    if (device.endpoint != nullptr && device.endpoint->has_come(arrival))
      wait.missing.push_back(
          {ctx.rank(), text("notification ", arrival, " from rank ", origins[arrival],
                            " has come and is on its way to this rank's device")});
    else
      wait.missing.push_back(
          {origins[arrival], text("notification ", arrival, " from rank ", origins[arrival],
                                  " was last seen in exchange ", runner->last_arrived(arrival))});
  }
  for (std::size_t put = 0; put < sources.size(); ++put)
    if (!runner->source_free(put, exchange))
      wait.missing.push_back(
          {plan.puts[put].target,
           text("put ", put, " to rank ", plan.puts[put].target,
                is_held(put)                               ? " is yet to be made ready"
                : in_part && !runner->fired(put, exchange) ? " needs room there"
                                                           : " still reads its source")});
  return wait;
}

}  // namespace onehop
