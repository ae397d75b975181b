#pragma once
/// The adversary tests exchange code on a transport that does whatever the rules of puts allow.

#include <onehop/context.hpp>

#include <cstdint>
#include <functional>

namespace onehop {

/// Runs `body` as `ranks` ranks on threads of this process over a virtual transport, the adversary.
/// The adversary chooses its actions at random from `seed`: it reorders, splits and delays puts and
/// the words between ranks, completes puts at once or keeps their sources in use until late, offers
/// a single queue slot, puts ranks to sleep while the others run ahead, and wakes them spuriously.
/// It overwrites with garbage every byte whose value is undefined at that time: ghosts from the
/// next start on, and the staging memory of packed puts once it has been read.
///
/// The same seed gives the same run on every machine, because only one rank runs at a time and the
/// choice of the next one is made only at calls to onehop. Time is virtual too, deadlines included.
/// When no rank can continue, time jumps to the next deadline, so a deadlock gives a timeout_error
/// at once that says for every rank which rank it waits for. `body` must not use any other source
/// of time or order: no clock, no sleep, no messages between ranks outside onehop.
/// context::transport is "adversary", ranks may expose 256 MiB each, and put_chain::start allocates
/// memory on this transport. All ranks, and the threads that they start, stay on one core.
///
/// If any rank throws, the call rethrows the first exception once all ranks have stopped. Throws
/// usage_error unless the number of ranks is from 1 to 64.
void run_with_adversary(int ranks, std::uint64_t seed, const std::function<void(context)>& body);

}  // namespace onehop
