#pragma once
/// Tests exchange code against a transport that does whatever the rules of puts allow.

#include <onehop/context.hpp>

#include <cstdint>
#include <functional>

namespace onehop {

/// Runs `body` as `ranks` ranks on threads of this process over a virtual transport, the adversary.
/// The adversary draws from `seed` what it does: it reorders, splits and delays puts and the words
/// between ranks, completes puts at once or keeps their sources in use until late, offers a single
/// queue slot, puts ranks to sleep and lets the others run ahead, wakes them spuriously, and
/// overwrites with garbage every byte whose value is undefined by then: ghosts from the next start
/// on, staging memory of packed puts once it is read.
///
/// The same seed gives the same run, whatever the machine: only one rank runs at a time, and which
/// one goes on is decided at its calls to onehop. Time is virtual too, deadlines included; where no
/// rank can go on, it jumps to the next deadline, so that a deadlock is a timeout_error at once
/// that says for every rank whom it waits for. `body` must take neither time nor order from
/// elsewhere: no clock, no sleep, no message between ranks outside onehop. context::transport is
/// "adversary", ranks may expose 256 MiB each, and put_chain::start allocates memory on this
/// transport.
///
/// The call rethrows the first exception of any rank once all have stopped. Throws usage_error for
/// a number of ranks outside 1 to 64.
void run_with_adversary(int ranks, std::uint64_t seed, const std::function<void(context)>& body);

}  // namespace onehop
