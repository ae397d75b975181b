#include <event_stream/arrivals.hpp>
#include <event_stream/event_table.hpp>

#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace event_stream;

namespace {

/// Returns the mean time that events wait for a server that takes `service_ns` for each, one after
/// the other (Lindley, Proc. Camb. Phil. Soc. 48, 277, 1952).
double mean_wait_ns(arrivals& moments, double service_ns, std::size_t events) {
  double free_ns = 0, sum_ns = 0;
  for (std::size_t k = 0; k < events; ++k) {
    const auto now_ns = static_cast<double>(moments.next());
    const double begin_ns = std::max(free_ns, now_ns);
    sum_ns += begin_ns - now_ns;
    free_ns = begin_ns + service_ns;
  }
  return sum_ns / static_cast<double>(events);
}

}  // namespace

BOOST_AUTO_TEST_CASE(poisson_arrivals_wait_for_a_constant_service_as_in_m_d_1) {
  for (const double load : {0.3, 0.5, 0.7}) {
    arrivals moments(arrival_pattern::poisson, 1e4, 11);
    constexpr double mean_gap_ns = 1e5;
    const double service_ns = load * mean_gap_ns;
    const double expected = load * service_ns / (2 * (1 - load));
    const double found = mean_wait_ns(moments, service_ns, 4'000'000);
    BOOST_TEST(std::abs(found / expected - 1) < 0.02,
               load << ": " << found << ", not " << expected);
  }
}

BOOST_AUTO_TEST_CASE(constant_arrivals_do_not_wait) {
  arrivals moments(arrival_pattern::constant, 1e4, 1);
  BOOST_TEST(mean_wait_ns(moments, 0.99e5, 100000) == 0);
}

BOOST_AUTO_TEST_CASE(bunches_come_together_and_have_the_same_rate) {
  arrivals moments(arrival_pattern::bunches, 1e6, 5);
  std::uint64_t last = 0;
  constexpr int bunches = 100000;
  for (int bunch = 0; bunch < bunches; ++bunch) {
    last = moments.next();
    for (int k = 1; k < 8; ++k) BOOST_TEST_REQUIRE(moments.next() == last);
  }
  const double mean_gap_ns = static_cast<double>(last) / bunches;
  BOOST_TEST(std::abs(mean_gap_ns / 8000 - 1) < 4 / std::sqrt(bunches));
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_moments) {
  arrivals one(arrival_pattern::poisson, 1e6, 5), same(arrival_pattern::poisson, 1e6, 5),
      other(arrival_pattern::poisson, 1e6, 6);
  std::vector<std::uint64_t> a, b, c;
  for (int k = 0; k < 1000; ++k) {
    a.push_back(one.next());
    b.push_back(same.next());
    c.push_back(other.next());
  }
  BOOST_TEST(a == b);
  BOOST_TEST(a != c);
  BOOST_TEST(std::is_sorted(a.begin(), a.end()));
}

BOOST_AUTO_TEST_CASE(sources_see_every_hit_once) {
  const event_table table(1, hit_pattern::ring);
  for (std::uint64_t event = 0; event < 200; ++event)
    for (const int sources : {1, 2, 3, 5}) {
      std::size_t seen = 0;
      for (int source = 0; source < sources; ++source) {
        const seen_hits part = hits_of_source(table.of(event), source, sources);
        for (std::size_t h = 0; h < part.hits; ++h) {
          const hit& expected =
              table.of(event)
                  .at[h * static_cast<std::size_t>(sources) + static_cast<std::size_t>(source)];
          BOOST_TEST(part.at[h].x == expected.x);
          BOOST_TEST(part.at[h].y == expected.y);
        }
        seen += part.hits;
      }
      BOOST_TEST(seen == table.of(event).hits);
    }
}

// Events at 10 MHz are 600 MB/s.
BOOST_AUTO_TEST_CASE(events_have_sixty_bytes_on_average) {
  const event_table table(1, hit_pattern::ring);
  double bytes = 0;
  for (std::uint64_t event = 0; event < event_table::size; ++event)
    bytes += static_cast<double>(fragment_bytes(table.of(event).hits, 0));
  BOOST_TEST(std::abs(bytes / event_table::size - 60) < 3);
  BOOST_TEST(event_table(1, hit_pattern::none).of(5).hits == 0);
}

BOOST_AUTO_TEST_CASE(rates_and_patterns_that_cannot_be_are_refused) {
  BOOST_CHECK_THROW(arrivals(arrival_pattern::poisson, 0, 1), onehop::usage_error);
  BOOST_CHECK_THROW(arrivals(arrival_pattern::constant, 1e-7, 1), onehop::usage_error);
  BOOST_CHECK_THROW(arrivals(arrival_pattern::poisson, std::nan(""), 1), onehop::usage_error);
  BOOST_CHECK_THROW(arrival_pattern_named("poison"), onehop::usage_error);
}
