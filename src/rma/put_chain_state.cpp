#include "rma/put_chain_state.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/trace.hpp>

#include "base/text.hpp"
#include "rma/gather.hpp"

namespace onehop {

void put_chain::state::require_open(std::string_view call) const {
  if (runner)
    throw usage_error(text("rank ", ctx.rank(), ": ", call,
                           " on a committed put chain: clear it first, or describe another chain"));
}

void put_chain::state::require_committed(std::string_view call) const {
  if (!runner)
    throw usage_error(text("rank ", ctx.rank(), ": ", call,
                           " on a put chain that is not committed: commit it first"));
}

void put_chain::state::require_started(std::string_view call) const {
  require_committed(call);
  if (exchange == 0)
    throw usage_error(text("rank ", ctx.rank(), ": ", call,
                           " on a put chain that was never started: start it first"));
}

std::size_t put_chain::state::checked(put_slot slot) const {
  if (slot.index < 0 || slot.index >= static_cast<int>(sources.size()))
    throw usage_error(text("rank ", ctx.rank(), ": put slot ", slot.index, " of a chain with ",
                           sources.size(), " puts: use a slot that push of this chain returned"));
  return static_cast<std::size_t>(slot.index);
}

std::size_t put_chain::state::checked(notification arrival) const {
  if (arrival.index < 0 || arrival.index >= static_cast<int>(origins.size()))
    throw usage_error(text("rank ", ctx.rank(), ": notification ", arrival.index,
                           " of a chain with ", origins.size(),
                           " origins: use one that add_origin of this chain returned"));
  return static_cast<std::size_t>(arrival.index);
}

chain_description put_chain::state::gather() const {
  const std::vector<memory_id> windows = allgather(ctx, target.shared()->memory->id());
  for (std::size_t rank = 1; rank < windows.size(); ++rank)
    if (windows[rank] != windows[0])
      throw chain_error(text("rank 0 commits a put chain on window ", windows[0], ", rank ", rank,
                             " on window ", windows[rank], ": give the same window on all ranks"));
  return {gather_lists(ctx, entries), target.shared()->bytes, target.banks()};
}

bool put_chain::state::here(std::size_t arrival) {
  if (seen[arrival] == exchange) return true;
  if (!runner->arrived(arrival, exchange)) return false;
  seen[arrival] = exchange;
  const trace_span moment(ctx.trace(), "arrival", exchange, origins[arrival]);
  return true;
}

bool put_chain::state::complete() {
  bool all = true;
  for (std::size_t arrival = 0; arrival < seen.size(); ++arrival) all &= here(arrival);
  for (std::size_t put = 0; put < sources.size(); ++put) all &= runner->source_free(put, exchange);
  return all;
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
  for (std::size_t arrival = 0; arrival < seen.size(); ++arrival)
    if (!runner->arrived(arrival, exchange))
      wait.missing.push_back(
          {origins[arrival], text("notification ", arrival, " from rank ", origins[arrival],
                                  " was last seen in exchange ", runner->last_arrived(arrival))});
  for (std::size_t put = 0; put < sources.size(); ++put)
    if (!runner->source_free(put, exchange))
      wait.missing.push_back(
          {plan.puts[put].target,
           text("put ", put, " to rank ", plan.puts[put].target, " still reads its source")});
  return wait;
}

}  // namespace onehop
