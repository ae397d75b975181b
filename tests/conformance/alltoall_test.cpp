#include <onehop/alltoall.hpp>
#include <onehop/error.hpp>

#include <array>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>

#include "support/ranks.hpp"

using namespace onehop;
using test::expect;

namespace onehop {
std::ostream& operator<<(std::ostream& out, alltoall_schedule schedule) {
  constexpr std::array names{"pairwise", "dissemination", "staged"};
  return out << names[static_cast<std::size_t>(schedule)];
}
}  // namespace onehop

namespace {

namespace data = boost::unit_test::data;
const auto schedules = data::make(
    {alltoall_schedule::pairwise, alltoall_schedule::dissemination, alltoall_schedule::staged});

/// The content differs for every pair of ranks, place and run.
std::byte content(int from, int to, std::size_t place, int run) {
  return static_cast<std::byte>(from * 31 + to * 7 + static_cast<int>(place) * 3 + run);
}

void check_all(const context& ctx, std::size_t block, alltoall_schedule schedule) {
  alltoall exchange(ctx, block, schedule);
  const auto ranks = static_cast<std::size_t>(ctx.size());
  std::vector<std::byte> send(ranks * block), receive(send.size());
  for (int run = 0; run < 5; ++run) {
    for (std::size_t k = 0; k < send.size(); ++k) {
      send[k] = content(ctx.rank(), static_cast<int>(k / block), k % block, run);
    }
    exchange.run(send, receive);
    for (std::size_t k = 0; k < send.size(); ++k) {
      expect(receive[k] == content(static_cast<int>(k / block), ctx.rank(), k % block, run),
             std::to_string(ranks) + " ranks, run " + std::to_string(run));
    }
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(every_rank_gets_its_block_from_every_rank, test::every_job() * schedules,
                     where, schedule) {
  where.run([&](context ctx) {
    for (const std::size_t block : {1, 8, 1000}) check_all(ctx, block, schedule);
  });
}

BOOST_DATA_TEST_CASE(rank_counts_that_are_no_power_of_two_work,
                     data::make({3, 5, 6, 7}) * schedules, ranks, schedule) {
  run_on_threads(ranks, [&](context ctx) { check_all(ctx, 24, schedule); });
}

BOOST_AUTO_TEST_CASE(wrong_sizes_are_refused) {
  run_on_threads(2, [](context ctx) {
    test::message_of<usage_error>([&] { alltoall(ctx, 0); });
    alltoall exchange(ctx, 8);
    std::vector<std::byte> right(16), wrong(15);
    test::message_of<usage_error>([&] { exchange.run(right, wrong); });
    test::message_of<usage_error>([&] { exchange.run(wrong, right); });
  });
}
