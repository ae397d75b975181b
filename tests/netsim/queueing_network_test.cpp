// A network of queues with exponential services must be in the states that Jackson found.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include <onehop/random.hpp>
#include "machines.hpp"

using namespace onehop::netsim;

namespace {

constexpr picoseconds us = 1'000'000;
constexpr std::uint32_t stations = 3, outside = stations;

// These are shares of the customers that go on from a station to another one, or leave.
constexpr std::array<std::array<double, stations + 1>, stations> ways{
    {{0.0, 0.6, 0.4, 0.0}, {0.3, 0.0, 0.3, 0.4}, {0.2, 0.2, 0.0, 0.6}}};
constexpr std::array<double, stations> come{0.20, 0.10, 0.05};  // customers in a microsecond
constexpr std::array<double, stations> served{1.0, 0.8, 0.9};   // customers that a station could do

// Returns the customers that come to each station in a microsecond, from outside and others.
std::array<double, stations> arrivals() {
  auto found = come;
  for (int round = 0; round < 200; ++round) {
    auto next = come;
    for (std::uint32_t from = 0; from < stations; ++from)
      for (std::uint32_t to = 0; to < stations; ++to) next[to] += found[from] * ways[from][to];
    found = next;
  }
  return found;
}

// A customer is a message whose bytes are drawn for every service: a station is the processor of a
// node, which takes a nanosecond for each byte of a message. Links take no time.
class jackson_network final : public listener {
 public:
  jackson_network(const machine_description& machine, picoseconds warm_up, picoseconds end)
      : net(machine, *this), warm_up_(warm_up), end_(end) {
    for (std::uint32_t station = 0; station < stations; ++station) expect(station);
    net.run();
  }

  // Returns the mean number of customers at a station.
  [[nodiscard]] double mean_at(std::uint32_t station) const {
    return static_cast<double>(stayed_[station]) / static_cast<double>(end_ - warm_up_);
  }

  void source_free(std::uint64_t) override {}
  void alarm(std::uint64_t station) override {
    enter(static_cast<std::uint32_t>(station));
    expect(static_cast<std::uint32_t>(station));
  }
  void delivered(std::uint64_t token) override {
    const auto station = static_cast<std::uint32_t>(token % stations);
    count(station);
    --there_[station];
    double left = uniform();
    for (std::uint32_t to = 0; to < stations; ++to)
      if ((left -= ways[station][to]) < 0) return enter(to);
  }

 private:
  double uniform() {
    const auto words = onehop::philox4x32({draws_++, 0, 0, 11}, {1, 0});
    return (words[0] + 0.5) * 0x1p-32;
  }
  double exponential(double mean) { return -std::log(uniform()) * mean; }

  void expect(std::uint32_t station) {
    const auto at = net.now() + std::llround(exponential(1e6 / come[station]));
    if (at < end_) net.alarm(at, station);
  }
  // Adds up what the customers of a station have stayed since it changed.
  void count(std::uint32_t station) {
    const auto from = std::clamp(since_[station], warm_up_, end_);
    const auto to = std::clamp(net.now(), warm_up_, end_);
    stayed_[station] += there_[station] * (to - from);
    since_[station] = net.now();
  }
  void enter(std::uint32_t station) {
    count(station);
    ++there_[station];
    message one;
    one.origin = one.target = station;
    one.bytes = static_cast<std::uint64_t>(std::llround(exponential(1e3 / served[station])));
    one.token = station;
    net.post(one);
  }

  network net;
  picoseconds warm_up_, end_;
  std::uint32_t draws_ = 0;
  std::array<picoseconds, stations> since_{}, stayed_{};
  std::array<std::int64_t, stations> there_{};
};

}  // namespace

// Every station is as if it were alone with Poisson arrivals, M/M/1: rho / (1 - rho) customers in
// the mean (J. R. Jackson, Oper. Res. 5 (1957) 518), though customers come back to it.
BOOST_AUTO_TEST_CASE(a_network_of_queues_has_the_product_form_of_jackson) {
  auto machine = torus({stations});
  software_step service;
  service.rate = 1e9;
  at_origin(machine, service);
  const jackson_network found(machine, 10'000 * us, 4'000'000 * us);
  const auto rates = arrivals();
  for (std::uint32_t station = 0; station < stations; ++station) {
    const double busy = rates[station] / served[station];
    BOOST_TEST(busy > 0.3);
    BOOST_TEST(found.mean_at(station) == busy / (1 - busy), boost::test_tools::tolerance(0.01));
  }
}
