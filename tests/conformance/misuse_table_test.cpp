// The table has every way to misuse windows and put chains that we know, and what the user is told.
// The page docs/reference/misuse.md is this table: the last test compares them.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <onehop/adversary.hpp>
#include <onehop/error.hpp>
#include <onehop/halo_exchange.hpp>
#include <onehop/persistent_collective.hpp>
#include <onehop/stream.hpp>
#include <sstream>

#include "misused.hpp"
#include "support/exchange.hpp"

using namespace onehop;
using namespace onehop::misused;

namespace {

using call = void (*)(context);
struct misuse {
  const char* what;
  /// These are parts of the message, separated by '|'.
  const char* told;
  call make;
};
std::ostream& operator<<(std::ostream& out, const misuse& m) { return out << m.what; }

// clang-format off
const std::vector<misuse> misuses{
    {"`push` after `commit`", "rank 1: push|clear it first",
     [](context c) { pair_of_ranks p(c); p.chain.push({view(8), 0, 50}); }},
    {"`add_origin` after `commit`", "add_origin|clear it first",
     [](context c) { pair_of_ranks p(c); p.chain.add_origin(0); }},
    {"`wait_on_stream` after `commit`", "wait_on_stream on a committed|clear it first",
     [](context c) { pair_of_ranks p(c); p.chain.wait_on_stream(); }},
    {"`take_turns` after `commit`", "take_turns on a committed|clear it first",
     [](context c) { pair_of_ranks p(c); p.chain.take_turns(); }},
    {"`take_turns` on one of two ranks", "rank 0 calls take_turns for a put chain, rank 1 does not|on all ranks or on none",
     [](context c) { commit_different(c, [](put_chain& x) { push_one(x); x.take_turns(); }, [](put_chain& x) { x.add_origin(0); }); }},
    {"`commit` twice", "commit on a committed|clear it first",
     [](context c) { pair_of_ranks p(c); p.chain.commit(); }},
    {"a put to a rank that the job does not have", "push names rank 2|the job has 2",
     [](context c) { commit_different(c, [](put_chain& x) { x.push({view(8), 2, 0}); }, nothing); }},
    {"a put to a negative rank", "names rank -1",
     [](context c) { commit_different(c, [](put_chain& x) { x.push({view(8), -1, 0}); }, nothing); }},
    {"an origin that the job does not have", "add_origin names rank 7",
     [](context c) { commit_different(c, [](put_chain& x) { x.add_origin(7); }, nothing); }},
    {"a put of no bytes", "sends nothing",
     [](context c) { commit_different(c, [](put_chain& x) { x.push({view(0), 1, 0}); }, nothing); }},
    {"a put of no blocks", "push of 0 blocks",
     [](context c) { commit_different(c, [](put_chain& x) { x.push({{bytes.data(), 8, 0, 8}, 1, 0}); }, nothing); }},
    {"blocks whose sum exceeds 2^64", "more than any memory",
     [](context c) { commit_different(c, [](put_chain& x) { x.push({{bytes.data(), std::size_t{1} << 63, 2, 8}, 1, 0}); }, nothing); }},
    {"a put beyond the target's window", "rank 0 puts 96 bytes at offset 8 of rank 1|has 100 bytes per bank",
     [](context c) { commit_different(c, [](put_chain& x) { x.push({view(96), 1, 8}); }, [](put_chain& x) { x.add_origin(0); }); }},
    {"an offset near 2^64", "at offset 18446744073709551612 of rank 1|100 bytes per bank",
     [](context c) { commit_different(c, [](put_chain& x) { x.push({view(8), 1, ~std::size_t{3}}); }, [](put_chain& x) { x.add_origin(0); }); }},
    {"a put without an origin at its target", "rank 0 puts 8 bytes|rank 1 has 0 add_origin(0)",
     [](context c) { commit_different(c, push_one, nothing); }},
    {"an origin without its put", "rank 1 has 1 add_origin(0)|rank 0 pushes 0 puts",
     [](context c) { commit_different(c, nothing, [](put_chain& x) { x.add_origin(0); }); }},
    {"one put more than origins", "as put number 2|rank 1 has 1 add_origin(0)",
     [](context c) { commit_different(c, [](put_chain& x) { push_one(x); x.push({view(8), 1, 50}); }, [](put_chain& x) { x.add_origin(0); }); }},
    {"puts of one chain that overlap at their target", "rank 0 puts 8 bytes at offset 4 of rank 1|where rank 0 puts 8 bytes at offset 0",
     [](context c) { commit_different(c, [](put_chain& x) { push_one(x); x.push({view(8), 1, 4}); }, [](put_chain& x) { x.add_origin(0); x.add_origin(0); }); }},
    {"puts of two ranks that overlap at their target", "rank 1 puts 8 bytes at offset 4 of rank 1|where rank 0 puts",
     [](context c) { commit_different(c, push_one, [](put_chain& x) { x.add_origin(0); x.push({view(8), 1, 4}); x.add_origin(1); }); }},
    {"different windows on two ranks", "rank 0 commits a put chain on window|rank 1 on window",
     [](context c) { window a = window::allocate(c, 8), b = window::allocate(c, 8); put_chain(c, c.rank() == 0 ? a : b).commit(); }},
    {"a window of another job", "belongs to another job",
     [](context c) { run_with_adversary(1, 1, [&](context alone) { put_chain(c, window::allocate(alone, 8)); }); }},
    {"a window of three banks", "window of 3 banks",
     [](context c) { window::allocate(c, 8, 3); }},
    {"different numbers of banks on two ranks", "window of 1 bank on rank 1 and of 2 on rank 0",
     [](context c) { window::allocate(c, 8, 2 - c.rank()); }},
    {"a window larger than any memory", "bytes on rank 0|larger than any memory",
     [](context c) { window::allocate(c, ~std::size_t{0}); }},
    {"the window of a rank that the job does not have", "window has no rank 2",
     [](context c) { (void)window::allocate(c, 8).bytes(2); }},
    {"a bank that the window does not have", "window has no bank 2",
     [](context c) { (void)window::allocate(c, 8).local(2); }},
    {"a put of variable size from several blocks", "push of up to 16 bytes|from 2 blocks|one block",
     [](context c) { commit_different(c, [](put_chain& x) { put p{{bytes.data(), 8, 2, 8}, 1, 0}; p.variable = true; x.push(p); }, nothing); }},
    {"a put of variable size beyond the target's window", "rank 0 puts up to 96 bytes at offset 8",
     [](context c) { commit_different(c, [](put_chain& x) { x.push(put::packed_up_to(96, 1, 8)); }, [](put_chain& x) { x.add_origin(0); }); }},
    {"a put whose runs at the target have other bytes", "push of 8 bytes to rank 1, which arrive as 3 runs of 4: ",
     [](context c) { commit_different(c, [](put_chain& x) { x.push(in_runs(8, strided_layout::blocks(4, 3, 8))); }, nothing); }},
    {"more runs than any memory has", "push of 8 bytes to rank 1, which arrive as too many runs of 4",
     [](context c) { commit_different(c, [](put_chain& x) { x.push(in_runs(8, {4, {~std::size_t{0}, 3, 1}, {}})); }, nothing); }},
    {"a put with starts of runs and no length of them", "with 2 starts of runs of 0 bytes: give put::remote.run_bytes too",
     [](context c) { commit_different(c, [](put_chain& x) { x.push(at_starts(8, 0, {0, 50})); }, nothing); }},
    {"a put of variable size in runs", "push of 8 bytes to rank 1 at most, which arrive as 2 runs of 4: ",
     [](context c) { commit_different(c, [](put_chain& x) { put p = in_runs(8, strided_layout::blocks(4, 2, 8)); p.variable = true; x.push(p); }, nothing); }},
    {"runs beyond the target's window", "rank 0 puts 8 bytes in 2 runs of 4 at offset 0 of rank 1, whose window has 100 bytes",
     [](context c) { commit_different(c, [](put_chain& x) { x.push(in_runs(8, strided_layout::blocks(4, 2, 97))); }, [](put_chain& x) { x.add_origin(0); }); }},
    {"runs before the target's window", "2 runs of 4 at offset 0 of rank 1, whose window has 100 bytes",
     [](context c) { commit_different(c, [](put_chain& x) { x.push(in_runs(8, strided_layout::blocks(4, 2, -8))); }, [](put_chain& x) { x.add_origin(0); }); }},
    {"a listed run beyond the target's window", "rank 0 puts 8 bytes in 2 runs of 4 at offset 0 of rank 1, whose window has 100 bytes",
     [](context c) { commit_different(c, [](put_chain& x) { x.push(at_starts(8, 4, {~std::size_t{0}, 0})); }, [](put_chain& x) { x.add_origin(0); }); }},
    {"runs of one put that overlap", "rank 0 puts 8 bytes in 2 runs of 4 at offset 0 of rank 1, which overlap each other",
     [](context c) { commit_different(c, [](put_chain& x) { x.push(in_runs(8, strided_layout::blocks(4, 2, 3))); }, [](put_chain& x) { x.add_origin(0); }); }},
    {"listed runs of one put that overlap", "in 2 runs of 4 at offset 8 of rank 1, which overlap each other",
     [](context c) { commit_different(c, [](put_chain& x) { put p = at_starts(8, 4, {7, 10}); p.remote_offset = 8; x.push(p); }, [](put_chain& x) { x.add_origin(0); }); }},
    {"a put between the runs of another that touches one", "rank 0 puts 5 bytes at offset 4 of rank 1|where|(up to 9): give them separate regions",
     [](context c) { commit_different(c, [](put_chain& x) { x.push(in_runs(8, strided_layout::blocks(4, 2, 8))); x.push({view(5), 1, 4}); }, [](put_chain& x) { x.add_origin(0); x.add_origin(0); }); }},
    {"a subarray of other dimensions than its array", "subarray of 1 dimensions in an array of 2",
     [](context) { const std::size_t all[]{4, 4}, box[]{2}; (void)strided_layout::subarray(8, all, box); }},
    {"a subarray larger than its array", "subarray of 5 items in dimension 1 of an array that has 4",
     [](context) { const std::size_t all[]{4, 4}, box[]{2, 5}; (void)strided_layout::subarray(8, all, box); }},
    {"`set_bytes` before `commit`", "set_bytes on a put chain that is not committed",
     [](context c) { pair_of_ranks p(c, false); p.chain.set_bytes(p.packed, 4); }},
    {"`set_bytes` of a put of fixed size", "set_bytes of put 1, which always sends 8 bytes: |put::packed_up_to",
     [](context c) { pair_of_ranks p(c); p.chain.set_bytes(p.packed, 4); }},
    {"`set_bytes` to more than was described", "set_bytes of put 0 to 9, more than the 8",
     [](context c) { variable_pair p(c); p.chain.set_bytes(p.slot, 9); }},
    {"`set_bytes` in flight", "set_bytes of put 0 while exchange 1 is in flight",
     [](context c) { variable_pair p(c); p.chain.start(); p.set_and_finish(4); }},
    {"`set_bytes` of another chain's slot", "put slot 0 given to put chain 2|belongs to put chain 1",
     [](context c) { variable_pair p(c), q(c); q.chain.set_bytes(p.slot, 4); }},
    {"`wait_any` of no arrivals", "wait_any of no arrivals|give at least one",
     [](context c) { pair_of_ranks p(c); p.chain.start(); p.chain.wait(); p.chain.wait_any({}); }},
    {"`wait_some` of another chain's arrivals", "notification 0 given to put chain 2|belongs to put chain 1",
     [](context c) { pair_of_ranks p(c), q(c); q.chain.start(); q.chain.wait(); std::vector<notification> theirs{p.arrival}; q.chain.wait_some(theirs); }},
    {"`wait_any` without `start`", "wait_any on a put chain that was never started",
     [](context c) { pair_of_ranks p(c); p.chain.wait_any(std::span(&p.arrival, 1)); }},
    {"`start` without `commit`", "start on a put chain that is not committed",
     [](context c) { pair_of_ranks p(c, false); p.chain.start(); }},
    {"`wait` without `commit`", "wait on a put chain that is not committed",
     [](context c) { pair_of_ranks p(c, false); p.chain.wait(); }},
    {"`wait` without `start`", "wait on a put chain that was never started",
     [](context c) { pair_of_ranks p(c); p.chain.wait(); }},
    {"`test` without `start`", "test on a put chain that was never started",
     [](context c) { pair_of_ranks p(c); (void)p.chain.test(); }},
    {"`wait` twice", "is complete: start the next one first",
     [](context c) { pair_of_ranks p(c); p.chain.start(); p.chain.wait(); p.chain.wait(); }},
    {"`start` twice without `wait`", "start of exchange 2 while exchange 1|wait for it first",
     [](context c) { pair_of_ranks p(c); p.chain.start(); p.chain.start(); }},
    {"`clear` in flight", "clear while exchange 1|wait for it first",
     [](context c) { pair_of_ranks p(c); p.chain.start(); p.chain.clear(); }},
    {"`target_view` of a put with a source of its own", "describe it with put::packed",
     [](context c) { pair_of_ranks p(c); (void)p.chain.target_view(p.plain); }},
    {"`target_view` in flight", "target_view of put 1 while exchange 1",
     [](context c) { pair_of_ranks p(c); p.chain.start(); (void)p.chain.target_view(p.packed); }},
    {"`arrived` before `start`", "arrived on a put chain that was never started",
     [](context c) { pair_of_ranks p(c); (void)p.chain.arrived(p.arrival); }},
    {"`arrived` before `wait`", "before exchange 1 brought it: wait for it first",
     [](context c) { pair_of_ranks p(c); p.chain.start(); (void)p.chain.arrived(p.arrival); }},
    {"a slot that no `push` returned", "put slot 5 given to put chain 1 of rank 1 comes from no chain|that push of this chain returned",
     [](context c) { pair_of_ranks p(c); (void)p.chain.source_free({5, {}}); }},
    {"a notification that no `add_origin` returned", "notification -1 given to put chain 1|comes from no chain",
     [](context c) { pair_of_ranks p(c); p.chain.start(); p.chain.wait(notification{}); }},
    {"a slot changed by hand", "put slot 5 of a chain with 2 puts",
     [](context c) { pair_of_ranks p(c); (void)p.chain.source_free({5, p.packed.of}); }},
    {"a slot of another chain", "rank 0: put slot 1 given to put chain 2 of rank 0 belongs to put chain 1 of rank 0|that push of this chain returned",
     [](context c) { pair_of_ranks p(c), q(c); (void)q.chain.target_view(p.packed); }},
    {"an arrival of another chain", "rank 0: notification 0 given to put chain 1 of rank 0 belongs to put chain 2 of rank 0|add_origin",
     [](context c) { pair_of_ranks p(c), q(c); p.chain.start(); p.chain.wait(q.arrival); }},
    {"an arrival of another chain, read", "notification 0 given to put chain 1|belongs to put chain 2",
     [](context c) { pair_of_ranks p(c), q(c); p.chain.start(); p.chain.wait(); (void)p.chain.arrived(q.arrival); }},
    {"a slot from before `clear`, of a chain committed since", "put slot 1 given to put chain 1 of rank 0 is from before its clear|since",
     [](context c) { pair_of_ranks p(c); p.chain.clear(); p.chain.push({view(8), p.other, 0}); p.chain.push({view(8), p.other, 8}); p.chain.add_origin(p.other); p.chain.add_origin(p.other); p.chain.commit(); (void)p.chain.source_free(p.packed); }},
    {"an arrival from before `clear`, of a chain committed since", "notification 0 given to put chain 1 of rank 0 is from before its clear",
     [](context c) { pair_of_ranks p(c); p.chain.clear(); p.chain.push({view(8), p.other, 0}); p.chain.add_origin(p.other); p.chain.commit(); p.chain.start(); (void)p.chain.test(p.arrival); }},
    {"a slot of a chain since cleared", "source_free on a put chain that is not committed",
     [](context c) { pair_of_ranks p(c); p.chain.clear(); (void)p.chain.source_free(p.packed); }},
    {"a chain that was moved from", "start on a put chain that is not committed",
     [](context c) { pair_of_ranks p(c); const put_chain taken = std::move(p.chain); p.chain.start(); }},
    {"`start` by another thread", "rank 1: start of put chain 1 of rank 1 by another thread than committed it|use it there",
     [](context c) { pair_of_ranks p(c); on_another_thread([&] { p.chain.start(); }); }},
    {"`wait` by another thread", "rank 1: wait of put chain 1 of rank 1 by another thread",
     [](context c) { pair_of_ranks p(c); p.chain.start(); on_another_thread([&] { p.chain.wait(); }); }},
    {"`wait` for one arrival by another thread", "rank 1: wait of put chain 1 of rank 1 by another thread",
     [](context c) { pair_of_ranks p(c); p.chain.start(); on_another_thread([&] { p.chain.wait(p.arrival); }); }},
    {"`test` by another thread", "rank 1: test of put chain 1 of rank 1 by another thread",
     [](context c) { pair_of_ranks p(c); p.chain.start(); on_another_thread([&] { (void)p.chain.test(); }); }},
    {"`clear` by another thread", "rank 1: clear of put chain 1 of rank 1 by another thread",
     [](context c) { pair_of_ranks p(c); on_another_thread([&] { p.chain.clear(); }); }},
    {"`start` in a forked child", "rank 1: start of put chain 1 of rank 1 in a process forked since its commit|leave the chain to its parent",
     [](context c) { pair_of_ranks p(c); in_a_forked_child([&] { p.chain.start(); }); }},
    {"a collective in a forked child", "rank 0: a barrier of 0 bytes in a process forked since this rank joined|leave the job to its parent",
     [](context c) { in_a_forked_child([&] { barrier(c); }); }},
    {"ranks in different collectives", "a barrier of 0 bytes|an allreduce_sum of 8 bytes",
     [](context c) { double one = 1; c.rank() == 0 ? barrier(c) : allreduce_sum(c, std::span(&one, 1)); }},
    {"sums of different length", "allreduce_sum of 8 bytes|allreduce_sum of 16 bytes",
     [](context c) { std::vector<double> x(1 + c.rank()); allreduce_sum(c, x); }},
    {"sums of different types", "an allreduce_sum of 8 bytes of float64|an allreduce_sum of 8 bytes of int64",
     [](context c) { double real = 1; std::int64_t whole = 1;
       c.rank() == 0 ? allreduce(c, std::span(&real, 1), reduction::sum) : allreduce(c, std::span(&whole, 1), reduction::sum); }},
    {"reduces of different kinds", "a reduce_min of 8 bytes of float64 to rank 0|a reduce_max of 8 bytes of float64 to rank 0",
     [](context c) { double x = 1; reduce(c, std::span(&x, 1), c.rank() == 0 ? reduction::min : reduction::max, 0); }},
    {"broadcasts from different ranks", "a broadcast of 8 bytes from rank 0|a broadcast of 8 bytes from rank 1",
     [](context c) { double x = 1; broadcast(c, std::as_writable_bytes(std::span(&x, 1)), c.rank()); barrier(c); }},
    {"bits of floating-point numbers combined", "rank 0: bits of floating-point numbers cannot be combined|give whole numbers",
     [](context c) { double one = 1; allreduce(c, std::span(&one, 1), reduction::bit_or); }},
    {"values of the caller's own that are too long", "rank 0: values of 300 bytes are combined|at most 256",
     [](context c) { std::vector<std::byte> x(300); allreduce(c, x, {300, reduction::sum, [](const void*, std::byte*, const std::byte*, std::size_t) {}}); }},
    {"a reduction of half a value", "rank 0: 12 bytes are not a whole number of values of 8 bytes",
     [](context c) { std::vector<std::byte> x(12); allreduce(c, x, combiner_of<double>(reduction::sum)); }},
    {"a reduction to a rank that the job does not have", "reduce to rank -1: give one from 0 to 1",
     [](context c) { double one = 1; reduce(c, std::span(&one, 1), reduction::sum, -1); }},
    {"a gather into too little memory", "gather of 8 bytes of each of 2 ranks with 8 bytes for all: give 16",
     [](context c) { std::vector<std::byte> x(8); gather(c, x, x, c.rank()); }},
    {"an alltoallv without a block for each rank", "rank 0: an alltoallv of 1 block among 2 ranks",
     [](context c) { const std::vector<std::span<const std::byte>> one(1); alltoallv(c, one, [](int, std::size_t) { return std::span<std::byte>(); }); }},
    {"an alltoallv whose place is too short", "an alltoallv has room for 1 byte from rank",
     [](context c) { std::byte room{}; const std::vector<std::byte> two(2);
       const std::vector<std::span<const std::byte>> longer(2, two); alltoallv(c, longer, [&](int, std::size_t) { return std::span(&room, 1); }); }},
    {"a sparse exchange with a rank that the job does not have", "rank 0: a sparse_exchange to rank 2, the job has 2",
     [](context c) { const std::span<const std::byte> none; const int far = 2; sparse_exchange<std::byte>(c, {&far, 1}, {&none, 1}); }},
    {"a sparse exchange of a block without a destination", "rank 0: a sparse_exchange of 1 block to 0 destinations",
     [](context c) { const std::span<const std::byte> none; sparse_exchange<std::byte>(c, {}, {&none, 1}); }},
    {"a sparse exchange while another rank is in another call", "in a barrier of 0 bytes|in a sparse_exchange of 0 bytes|same order",
     [](context c) { sparse_exchange<int>(c, {}, {}); if (c.rank() == 0) return barrier(c); sparse_exchange<int>(c, {}, {}); }},
    {"persistent collectives of different length", "an allreduce_sum of 8 bytes|an allreduce_sum of 16 bytes",
     [](context c) { std::vector<double> x(static_cast<std::size_t>(1 + c.rank())); persistent_allreduce(c, std::span(x)); }},
    {"a persistent collective started twice", "start of a persistent allreduce that is under way",
     [](context c) { std::vector<double> x(1); auto sum = persistent_allreduce(c, std::span(x)); sum.start(); sum.start(); }},
    {"a persistent collective waited for without start", "wait for a persistent allreduce that is not under way",
     [](context c) { std::vector<double> x(1); persistent_allreduce(c, std::span(x)).wait(); }},
    {"a persistent collective that one rank does not start", "rank 1 left the job|notification 0 from rank 1 was last seen in exchange 0",
     [](context c) { std::vector<double> x(1); auto sum = persistent_allreduce(c, std::span(x)); if (c.rank() == 0) { sum.start(); sum.wait(); } }},
    {"long sums of different length", "allreduce_sum of 80000 bytes|allreduce_sum of 160000 bytes",
     [](context c) { std::vector<double> x(10000 * static_cast<std::size_t>(1 + c.rank())); allreduce_sum(c, x); }},
    {"a long and a short sum", "allreduce_sum of 80000 bytes|allreduce_sum of 8 bytes",
     [](context c) { std::vector<double> x(c.rank() == 0 ? 10000 : 1); allreduce_sum(c, x); }},
    {"a stream without consumers", "a stream without consumers: name at least one rank",
     [](context c) { stream_of(c, {0}, {}); }},
    {"a stream to a rank that the job does not have", "a stream names rank 2 as consumer: give one from 0 to 1",
     [](context c) { stream_of(c, {0}, {2}); }},
    {"a stream that names a producer twice", "a stream names rank 1 as producer twice",
     [](context c) { stream_of(c, {1, 1}, {0}); }},
    {"a stream of different ranks", "ranks 0 and 1 make a stream of different producers",
     [](context c) { stream_of(c, {c.rank()}, {0}); }},
    {"a stream with one block", "a stream with 1 block: give at least 2",
     [](context c) { stream_of(c, {0}, {1}, {.blocks = 1}); }},
    {"a stream whose items are longer than its blocks", "a stream of items up to 900 bytes in blocks of 512: give blocks of at least",
     [](context c) { stream_of(c, {0}, {1}, {.largest_item = 900, .block_bytes = 512}); }},
    {"`reserve` at a rank that only consumes", "rank 1: reserve on a stream that this rank does not produce for",
     [](context c) { consume(c, [](stream& s) { (void)s.reserve(8); }); }},
    {"`reserve` of more than the largest item", "rank 0: reserve of 9 bytes on a stream of items up to 8",
     [](context c) { produce(c, [](stream& s) { (void)s.reserve(9); }); }},
    {"`reserve` for a rank that does not consume", "rank 0: reserve for rank 0, which does not consume this stream",
     [](context c) { produce(c, [](stream& s) { (void)s.reserve(8, 0); }); }},
    {"a second `reserve` before `publish`", "rank 0: reserve while 8 bytes for rank 1 are reserved: publish them first",
     [](context c) { produce(c, [](stream& s) { (void)s.reserve(8); (void)s.reserve(8); }); }},
    {"`reserve` after `close`", "rank 0: reserve on a stream that this rank has closed",
     [](context c) { produce(c, [](stream& s) { s.close(); (void)s.reserve(8); }); }},
    {"`close` before `publish`", "rank 0: close while 8 bytes for rank 1 are reserved: publish them first",
     [](context c) { produce(c, [](stream& s) { (void)s.reserve(8); s.close(); }); }},
    {"a second `publish`", "rank 0: publish of a place that is not reserved",
     [](context c) { produce(c, [](stream& s) { const auto p = s.reserve(8); s.publish(p); s.publish(p); }); }},
    {"`publish` of more than was reserved", "rank 0: publish of 8 bytes where 4 were reserved",
     [](context c) { produce(c, [](stream& s) { s.publish(s.reserve(4), 8); }); }},
    {"`next` at a rank that only produces", "rank 0: next on a stream that this rank does not consume",
     [](context c) { produce(c, [](stream& s) { (void)s.next(); }); }},
    {"a second `release`", "rank 1: release of an item that is not held",
     [](context c) { consume(c, [](stream& s) { const auto i = s.next(); s.release(*i); s.release(*i); }); }},
    {"`ready` without `start_partial`", "ready of put 0|call start_partial first",
     [](context c) { pair_of_ranks p(c); p.chain.ready(p.plain); }},
    {"`ready` of a put of a whole start", "ready of put 0|has sent already",
     [](context c) { pair_of_ranks p(c); p.chain.start(); p.chain.ready(p.plain); }},
    {"a second `ready` of a put", "ready of put 0|name each put once",
     [](context c) { pair_of_ranks p(c); p.chain.start_partial(); p.chain.ready(p.plain); p.chain.ready(p.plain); }},
    {"`wait` while a put is yet to be made ready", "wait for exchange 1, of which put 1 has not been made ready",
     [](context c) { pair_of_ranks p(c); p.chain.start_partial(); p.chain.ready(p.plain); p.chain.wait(); }},
    {"`ready` on another thread", "ready of put chain 1|belongs to one thread",
     [](context c) { pair_of_ranks p(c); p.chain.start_partial(); on_another_thread([&] { p.chain.ready(p.plain); }); }},
    {"`ready` of another chain's put", "given to put chain 1|belongs to put chain 2",
     [](context c) { pair_of_ranks p(c), q(c); p.chain.start_partial(); p.chain.ready(q.plain); }},
    {"a put that is never made ready", "rank 1 left the job|notification 0 from rank 1 was last seen in exchange 0",
     [](context c) { pair_of_ranks p(c); p.chain.start_partial(); if (c.rank() == 0) p.chain.wait(p.arrival); }},
    {"a halo exchange waited for while a face is yet to be made ready", "side 0 in dimension 0 has not been made ready",
     [](context c) { two_rows p(c); p.halo.start_partial(); p.halo.wait(); }},
    {"a face that is made ready twice", "face of side 0 in dimension 0, which has been sent already",
     [](context c) { two_rows p(c); p.halo.start_partial(); p.halo.ready({0, 0}); p.halo.ready({0, 0}); }},
    {"`can_start` before `commit`", "can_start on a put chain that is not committed",
     [](context c) { pair_of_ranks p(c, false); (void)p.chain.can_start(); }},
    {"a broadcast from a rank that the job does not have", "broadcast from rank 2",
     [](context c) { broadcast(c, {}, 2); }},
    {"a rank that does not take part in `split`", "rank 1 left the job|while rank 0 waits in a split",
     [](context c) { if (c.rank() == 0) c.split(0); }},
    {"a `split` while another rank is in another call", "in a split of 8 bytes|in a barrier of 0 bytes|same order",
     [](context c) { if (c.rank() == 0) return barrier(c); c.split(0); }},
    {"a member that does not come to a barrier of its group", "rank 1 left the group while rank 0|are ranks 1, 0 of the job",
     [](context c) { const auto g = c.split(0, -c.rank()); if (g->rank() == 0) barrier(*g); }},
    {"the job's number of a rank that the group does not have", "context has no rank 1: give one from 0 to 0",
     [](context c) { c.split(c.rank())->rank_in_job(1); }},
    {"ranks along a dimension that the lattice has not", "along dimension 2 of a lattice of 2",
     [](context c) { cartesian(c, {4, 4}).along({2}); }},
    {"ranks along a dimension twice", "along dimension 1 more than once",
     [](context c) { cartesian(c, {4, 4}).along({1, 1}); }},
    {"a rank that does not take part in `commit`", "rank 1 left the job|while rank 0",
     [](context c) { const window w = window::allocate(c, 8); if (c.rank() == 0) put_chain(c, w).commit(); }},
    {"a rank that does not `start`", "nothing is under way|rank 0 of 2 waited|from rank 1 was last seen in exchange 0|rank 1 of 2 waited",
     [](context c) { pair_of_ranks p(c); if (c.rank() == 1) return barrier(c); p.chain.start(); p.chain.wait(); }},
    {"a lattice of five dimensions", "a lattice of 5 dimensions|1 to 4",
     [](context c) { cartesian(c, {2, 2, 2, 2, 2}); }},
    {"an extent of 0", "lattice 4x0 has the extent 0|at least 1",
     [](context c) { cartesian(c, {4, 0}); }},
    {"a grid of other dimensions than the lattice", "a grid of 1 dimensions for lattice 4x4|one entry for each",
     [](context c) { cartesian(c, {4, 4}, {.grid = {2}}); }},
    {"a grid of other ranks than the job's", "grid 2x2 has 4 ranks but the job has 2|choose another grid",
     [](context c) { cartesian(c, {4, 4}, {.grid = {2, 2}}); }},
    {"a lattice of fewer sites than ranks", "lattice 1x1 cannot be divided among 2 ranks|start fewer",
     [](context c) { cartesian(c, {1, 1}); }},
    {"ghosts wider than the thinnest block", "ghosts of width 2 in dimension 1, whose thinnest block has 1|use narrower ones",
     [](context c) { halo_field<int>(two_rows(c).ranks, {.width = 2}); }},
    {"ghosts of a negative width", "ghosts of width -1 in dimension 0|0 sites or more",
     [](context c) { halo_field<int>(two_rows(c).ranks, {.width = -1}); }},
    {"a field over memory of another size", "in memory of 4 bytes|it takes",
     [](context c) { int one = 0; halo_field<int>(halo_layout(two_rows(c).ranks, {}), std::span(&one, 1)); }},
    {"a halo exchange of no field", "of no field|one or more",
     [](context) { halo_exchange(std::vector<halo_memory*>()); }},
    {"a halo exchange of fields on different lattices", "4x2x1x1 sites on a grid of|travel together lie on one cartesian",
     [](context c) { two_rows p(c), q(c, true, {true, false}); halo_exchange({&p.field, &q.field}); }},
    {"a halo exchange of padded fields and of others", "padded fields and of others|give each kind an exchange",
     [](context c) { two_rows p(c), q(c, false); halo_exchange({&p.field, &q.field}); }},
    {"a halo exchange of other ghosts on another rank", "width 1 and 1, 1 and 1 below and above the block in field 0 on rank 0 and |on rank 1: give the same on all",
     [](context c) { two_rows p(c); halo_field<int> other(p.ranks, {.sides = {{1 + c.rank(), 1}, {1, 1}}}); halo_exchange unlike(other); }},
    {"a halo exchange of other sites on another rank", "sites of 4 bytes in field 0 on rank 0 and sites of 8 bytes in field 0 on rank 1: give the same on all",
     [](context c) {
       two_rows p(c);
       halo_field<double> wide(p.ranks, {});
       if (c.rank() == 0) halo_exchange unlike(p.field);
       else halo_exchange unlike(wide);
     }},
    {"a halo exchange on another lattice on another rank", "4x4x1x1 sites on a grid of|and 4x6x1x1 sites on a grid of",
     [](context c) { const cartesian ranks(c, {4, 4 + 2 * c.rank()}, {.grid = {1, 2}}); halo_field<int> field(ranks, {}); halo_exchange unlike(field); }},
    {"a halo exchange with corners on one rank", "faces without corners on rank 0 and faces and corners on rank 1",
     [](context c) { two_rows p(c); halo_exchange unlike(p.field, {.corners = c.rank() == 1}); }},
    {"a halo exchange of more fields on one rank", "1 field on rank 0 and 2 fields on rank 1: give the same on all",
     [](context c) {
       two_rows p(c);
       std::vector<halo_memory*> fields{&p.field};
       if (c.rank() == 1) fields.push_back(&p.other);
       halo_exchange unlike(fields);
     }},
    {"memory for the ghosts of padded fields", "lie around their blocks|leave halo_options::ghosts out",
     [](context c) { two_rows p(c); std::byte one{}; halo_exchange(p.field, {.ghosts = {&one, 1}}); }},
    {"memory of another size than the ghosts'", "memory of 1 bytes for ghosts|see halo_exchange::ghost_bytes",
     [](context c) { two_rows p(c, false); std::byte one{}; halo_exchange(p.field, {.ghosts = {&one, 1}}); }},
    {"a halo exchange started twice", "start of a halo exchange that is under way|call wait first",
     [](context c) { two_rows p(c); p.halo.start(); p.halo.start(); }},
    {"a halo exchange waited for without start", "wait of a halo exchange that is not under way|call start first",
     [](context c) { two_rows p(c); p.halo.wait(); }},
    {"a face waited for without start", "wait for a face of a halo exchange that is not under way|call start first",
     [](context c) { two_rows p(c); p.halo.wait({0, 1}); }},
    {"a face of a dimension that the lattice has not", "face of side 0 in dimension 2|dimensions 0 to 1",
     [](context c) { two_rows p(c); p.halo.start(); p.halo.wait({2, 0}); }},
    {"a start with a field of other ghosts", "another field 0 of other ghosts or sites|must be the same",
     [](context c) { two_rows p(c); halo_field<int> wide(p.ranks, {.sides = {{2, 2}, {1, 1}}}); p.halo.start(wide); }},
    {"a start with another field that is not padded", "with 1 others|padded ones can take their place",
     [](context c) { two_rows p(c, false); p.halo.start(p.other); }},
    {"a swapped field that is sent from where it lay", "was moved or swapped|pad them",
     [](context c) { two_rows p(c, false); std::swap(p.field, p.other); p.halo.start(); }},
    {"the ghosts of a padded field where they arrive", "ghost of a padded field|index it",
     [](context c) { two_rows p(c); (void)p.halo.ghost({0, 0}); }},
    {"ghosts before they are waited for", "has not been waited for|wait for its face",
     [](context c) { two_rows p(c, false); p.halo.start(); (void)p.halo.ghost({1, 0}); }},
};
// clang-format on

// Here are misuses that do not compile.
template <class Bytes>
concept can_be_sent = requires(Bytes&& source) {
  local_view::contiguous(std::forward<Bytes>(source));
};
static_assert(can_be_sent<std::vector<std::byte>&> && can_be_sent<std::span<std::byte>>);
static_assert(!can_be_sent<std::vector<std::byte>>, "bytes of a temporary");
static_assert(!can_be_sent<std::vector<double>&>, "a source that is not bytes");
static_assert(!std::is_copy_constructible_v<put_chain> && !std::is_copy_assignable_v<put_chain>);
static_assert(!std::is_copy_constructible_v<halo_exchange>);
static_assert(!std::is_copy_constructible_v<halo_field<int>>);
template <class Name>
concept can_be_waited_for = requires(put_chain& chain, Name name) {
  chain.wait(name);
};
static_assert(can_be_waited_for<notification> && !can_be_waited_for<put_slot>);
static_assert(!can_be_waited_for<int>);

/// Returns what the job of the adversary says, which is the same every time.
std::string answer(const misuse& m) {
  try {
    run_with_adversary(2, 1, m.make);
  } catch (const error& told) {
    return told.what();
  }
  return "nothing";
}

std::string page() {
  std::ostringstream out;
  out << "# Misuse and what you are told\n\nEach of these is an exception, on the rank that does "
         "it "
         "or on all that take part, and none\nhangs. Checked by "
         "`tests/conformance/misuse_table_test.cpp`, from whose runs on two ranks the answers\n"
         "are.\n\n"
         "Not even compiled: the bytes of a temporary as a source, a source that is not bytes, "
         "copying a "
         "chain,\na halo exchange or its field, waiting for an outgoing put or a bare number.\n\n"
         "| misuse | answer |\n| --- | --- |\n";
  for (const misuse& m : misuses) out << "| " << m.what << " | " << answer(m) << " |\n";
  return out.str();
}

}  // namespace

BOOST_DATA_TEST_CASE(misuse_is_an_exception_that_says_what_to_do, misuses, each) {
  const std::string told = answer(each);
  std::istringstream parts(each.told);
  for (std::string part; std::getline(parts, part, '|');)
    BOOST_TEST(told.find(part) != std::string::npos, told);
}

BOOST_DATA_TEST_CASE(misuse_is_an_exception_on_shared_memory_too, misuses, each) {
  BOOST_CHECK_THROW(run_on_threads(2,
                                   [&](context ctx) {
                                     ctx.set_deadline(std::chrono::milliseconds(200));
                                     each.make(ctx);
                                   }),
                    error);
}

BOOST_AUTO_TEST_CASE(the_page_lists_what_is_tested) {
  std::ifstream file(ONEHOP_SOURCE_DIR "/docs/reference/misuse.md");
  std::ostringstream written;
  written << file.rdbuf();
  const std::string expected = page();
  if (written.str() != expected) std::ofstream("misuse.md") << expected;
  BOOST_TEST(written.str() == expected,
             "docs/reference/misuse.md is out of date; take the "
             "misuse.md that this test has left in its folder");
}
