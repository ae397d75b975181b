#include <array>
#include <boost/test/unit_test.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/put_chain.hpp>
#include <optional>
#include <vector>

#include "support/ranks.hpp"
#include "transport/virtual/threads.hpp"
#include "transport/virtual/transport.hpp"

using namespace onehop;

namespace {

/// The small machine with more nodes, in a ring.
virtual_machine::machine ring_of(int nodes) {
  virtual_machine::machine made = test::small_machine("put");
  made.description.nodes = static_cast<std::uint32_t>(nodes);
  made.description.fabrics[0].shape.extents = {static_cast<std::uint32_t>(nodes)};
  return made;
}

/// These puts go to the nearest ranks in a ring, a few to each.
struct neighbours {
  static constexpr std::array<int, 4> distances{1, -1, 2, -2};
  static constexpr int puts_to_each = 3;

  window memory;
  std::vector<std::uint64_t> sources;
  put_chain chain;

  explicit neighbours(const context& ctx)
      : memory(window::allocate(ctx, distances.size() * puts_to_each * sizeof(std::uint64_t), 2)),
        sources(distances.size() * puts_to_each, static_cast<std::uint64_t>(ctx.rank())),
        chain(ctx, memory) {
    for (std::size_t n = 0; n < sources.size(); ++n) {
      const int distance = distances[n / puts_to_each];
      const auto bytes = std::as_bytes(std::span(sources))
                             .subspan(n * sizeof(std::uint64_t), sizeof(std::uint64_t));
      chain.push({local_view::contiguous(bytes), (ctx.rank() + distance + ctx.size()) % ctx.size(),
                  n * sizeof(std::uint64_t)});
    }
    for (std::size_t n = 0; n < sources.size(); ++n)
      chain.add_origin((ctx.rank() - distances[n / puts_to_each] + ctx.size()) % ctx.size());
  }
};

std::uint64_t messages_of(const context& ctx) {
  const auto& via = dynamic_cast<const virtual_machine::transport&>(transport_of(ctx));
  const auto& all = dynamic_cast<const virtual_machine::thread_conductor&>(via.machine());
  return accounts_of(all.threads().shared()).account.messages_posted;
}

/// Returns the messages of a commit and the exchange after it, whose bytes are checked.
std::uint64_t messages_of_commit(int ranks) {
  std::uint64_t messages = 0;
  virtual_machine::run(ranks, ring_of(ranks), [&](context ctx) {
    neighbours made(ctx);
    barrier(ctx);
    if (ctx.rank() == 0) messages = messages_of(ctx);
    made.chain.commit();
    made.chain.start();
    made.chain.wait();
    barrier(ctx);
    if (ctx.rank() == 0) messages = messages_of(ctx) - messages;
    for (std::size_t n = 0; n < made.sources.size(); ++n) {
      const int from = neighbours::distances[n / neighbours::puts_to_each];
      std::uint64_t came = 0;
      std::memcpy(&came, &made.memory.local(0)[n * sizeof came], sizeof came);
      test::expect(came ==
                   static_cast<std::uint64_t>((ctx.rank() - from + ctx.size()) % ctx.size()));
    }
  });
  return messages;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_rank_commits_with_its_neighbours_however_many_there_are) {
  // Four times the ranks send 4 log(256) / log(64) = 5.3 times the messages; 16 times, where every
  // rank hears of every other's chain.
  const std::uint64_t few = messages_of_commit(64), many = messages_of_commit(256);
  BOOST_TEST(many < 7 * few, many << " messages of 256 ranks, " << few << " of 64");
}

BOOST_AUTO_TEST_CASE(what_two_of_many_disagree_about_is_named_on_all) {
  constexpr int ranks = 96;
  std::vector<std::string> said(ranks);
  virtual_machine::run(ranks, ring_of(ranks), [&](context ctx) {
    neighbours made(ctx);
    if (ctx.rank() == 70) made.chain.add_origin(5);
    said[static_cast<std::size_t>(ctx.rank())] =
        test::message_of<chain_error>([&] { made.chain.commit(); });
  });
  for (const std::string& one : said)
    BOOST_TEST(one ==
               "rank 70 has 1 add_origin(5), but rank 5 pushes 0 puts to rank 70: push one there "
               "or add one origin less");
}
