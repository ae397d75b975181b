#include <boost/test/unit_test.hpp>
#include <onehop/context.hpp>
#include <set>
#include <string>

#include "benchmarks/device_rate.hpp"
#include "host_backend/host_backend.hpp"
#include "support/ranks.hpp"

using namespace onehop;
using namespace onehop::bench;

namespace {

/// Returns the rate on the host, whose copies stand for those of a device.
operator_rate rate_of(int rhs, bool iterations) {
  operator_cell cell;
  cell.dirac = wilson{};
  cell.precision = precision::single;
  cell.recon = 12;
  cell.rhs = rhs;
  cell.iterations = iterations;
  cell.make_backend = device::make_host_backend;
  operator_rate found;
  run_on_threads(1, [&](context ctx) {
    found = measure_operator(geometry(ctx, {4, 4, 4, 4}, {1, 1, 1, 1}), cell,
                             {measure::microseconds(10000), measure::microseconds(100000), 0.5, 2});
  });
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rates_of_device_kernels_count_links_once_for_all_right_hand_sides) {
  for (const int rhs : {1, 3}) {
    const operator_rate rate = rate_of(rhs, false);
    const double links = 8 * 12 * 4, spinors = 2 * 24 * 4;
    BOOST_TEST(rate.bytes_per_site == links / rhs + spinors);
    BOOST_TEST(rate.error <= rate.error_limit);
    BOOST_TEST(rate.memory_gbs.size() == rate.gflops.size());
    for (const double gbs : rate.memory_gbs) BOOST_TEST(gbs > 0);
  }
}

BOOST_AUTO_TEST_CASE(iterations_on_a_device_count_their_work_for_each_right_hand_side) {
  const operator_rate one = rate_of(1, true), three = rate_of(3, true);
  BOOST_TEST(three.error <= three.error_limit);
  BOOST_TEST(std::abs(three.flops_per_site - one.flops_per_site) < 1e-6 * one.flops_per_site);
  // An application is two operators of two hops, on the sites of one parity.
  const double links = 2 * 2 * 8 * 12 * 4;
  BOOST_TEST(std::abs(one.bytes_per_site - three.bytes_per_site - links * 2 / 3) < 1e-6 * links);
}

// On the host no shape matters.
BOOST_AUTO_TEST_CASE(every_kernel_of_a_device_is_timed_in_every_shape) {
  operator_cell cell;
  cell.make_backend = device::make_host_backend;
  tuned_device found;
  run_on_threads(1, [&](context ctx) {
    found = tune_device(geometry(ctx, {4, 4, 4, 4}, {1, 1, 1, 1}), cell, 1);
  });
  BOOST_TEST(found.blocks.size() == 3U * 9 + 3 + 1);
  std::set<std::string> kernels;
  for (const tuned_block& block : found.blocks) {
    kernels.insert(block.kernel);
    std::set<int> shapes;
    for (const auto& [threads, times] : block.times) shapes.insert(threads);
    BOOST_TEST((shapes == std::set<int>{32, 64, 128, 256}), block.kernel);
    BOOST_TEST(shapes.count(block.threads) == 1U);
  }
  BOOST_TEST(kernels.size() == found.blocks.size());
}
