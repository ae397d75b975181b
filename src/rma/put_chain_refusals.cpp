// A chain refuses calls that come out of order, from another thread, or with names of another
// chain.

#include <onehop/error.hpp>
#include <string>

#include "base/text.hpp"
#include "rma/put_chain_state.hpp"

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

void put_chain::state::require_own(std::string_view what, int index, const chain_identity& of,
                                   std::string_view giver) const {
  if (of.unique == name.unique) return;
  const std::string call = text("rank ", ctx.rank(), ": ", what, " ", index, " given to put chain ",
                                name.chain, " of rank ", name.rank);
  const std::string advice = text(": use one that ", giver, " of this chain returned");
  if (of.unique == 0) throw usage_error(call + " comes from no chain" + advice);
  if (of.rank == name.rank && of.chain == name.chain)
    throw usage_error(text(call, " is from before its clear", advice, " since"));
  throw usage_error(text(call, " belongs to put chain ", of.chain, " of rank ", of.rank, advice));
}

std::size_t put_chain::state::checked(put_slot slot) const {
  require_own("put slot", slot.index, slot.of, "push");
  if (slot.index < 0 || slot.index >= static_cast<int>(sources.size()))
    throw usage_error(text("rank ", ctx.rank(), ": put slot ", slot.index, " of a chain with ",
                           sources.size(), " puts: use a slot that push of this chain returned"));
  return static_cast<std::size_t>(slot.index);
}

std::size_t put_chain::state::checked(notification arrival) const {
  require_own("notification", arrival.index, arrival.of, "add_origin");
  if (arrival.index < 0 || arrival.index >= static_cast<int>(origins.size()))
    throw usage_error(text("rank ", ctx.rank(), ": notification ", arrival.index,
                           " of a chain with ", origins.size(),
                           " origins: use one that add_origin of this chain returned"));
  return static_cast<std::size_t>(arrival.index);
}

void put_chain::state::refuse_caller(std::string_view call) const {
  const std::string what =
      text("rank ", ctx.rank(), ": ", call, " of put chain ", name.chain, " of rank ", name.rank);
  if (owner.forks != this_caller().forks)
    throw usage_error(
        what +
        " in a process forked since its commit: a forked child is not a rank, so leave "
        "the chain to its parent");
  throw usage_error(what +
                    " by another thread than committed it: a chain belongs to one thread, so use "
                    "it there or commit another one here");
}

void put_chain::state::refuse_start() const {
  require_committed("start");
  require_owner("start");
  throw usage_error(text("rank ", ctx.rank(), ": start of exchange ", exchange + 1,
                         " while exchange ", exchange,
                         " of the put chain is in flight: wait for it first"));
}

void put_chain::state::refuse_wait() const {
  require_started("wait");
  require_owner("wait");
  throw usage_error(text("rank ", ctx.rank(), ": wait although exchange ", exchange,
                         " of the put chain is complete: start the next one first"));
}

void put_chain::state::refuse_bytes(std::size_t put, std::size_t bytes) const {
  const std::string call = text("rank ", ctx.rank(), ": set_bytes of put ", put);
  if (!plan.puts[put].variable)
    throw usage_error(text(call, ", which always sends ", sources[put].bytes(),
                           " bytes: describe it with put::up_to or put::packed_up_to"));
  if (in_flight)
    throw usage_error(text(call, " while exchange ", exchange, " is in flight: wait for it first"));
  throw usage_error(text(call, " to ", bytes, ", more than the ", sources[put].bytes(),
                         " it was described with: describe it with the most it ever sends"));
}

}  // namespace onehop
