#include <particle_in_cell/offload.hpp>

#include <onehop/adversary.hpp>
#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

using namespace particle_in_cell;

namespace {

void play(const onehop::context& job) {
  for (const offload_options& how : {offload_options{200, 3, 1, 3}, offload_options{1, 4, 2, 2},
                                     offload_options{50, 6, 3, 4}, offload_options{7, 4, 4, 1}}) {
    const offload_report found = offload(job, how);
    if (found.wrong != 0)
      throw std::logic_error(std::to_string(found.wrong) + " particles are wrong with " +
                             std::to_string(how.buffers) + " buffers");
    if (found.all_ns <= 0) throw std::logic_error("particles take time");
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(particles_come_back_as_if_pushed_in_place) { onehop::run_on_threads(2, play); }

BOOST_AUTO_TEST_CASE(a_buffer_takes_no_chunk_before_the_last_has_left) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) onehop::run_with_adversary(2, seed, play);
}

BOOST_AUTO_TEST_CASE(the_push_turns_by_the_angle_of_its_scheme_and_keeps_energy) {
  constexpr double turn_at_rest = 0.1, dt = 0.5;
  test_particle one{.place = {0, 0, 0}, .u = {0.6, 0, 0.3}};
  const double gamma = std::sqrt(1 + 0.36 + 0.09);
  push_in_uniform_field({&one, 1}, turn_at_rest, dt);
  BOOST_TEST(std::hypot(one.u[0], one.u[1]) == 0.6, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(std::atan2(-one.u[1], one.u[0]) == 2 * std::atan(turn_at_rest / 2 / gamma),
             boost::test_tools::tolerance(1e-13));
  BOOST_TEST(one.place[2] == 0.3 * dt / gamma, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused) {
  onehop::run_on_threads(2, [](const onehop::context& job) {
    for (const offload_options& how : {offload_options{0, 3, 3, 1}, offload_options{1, 0, 1, 1},
                                       offload_options{1, 4, 3, 1}, offload_options{1, 3, 3, 0}}) {
      bool refused = false;
      try {
        offload(job, how);
      } catch (const onehop::usage_error&) {
        refused = true;
      }
      if (!refused) throw std::logic_error("not refused");
    }
  });
  BOOST_CHECK_THROW(offload(onehop::join("self"), {}), onehop::usage_error);
}
