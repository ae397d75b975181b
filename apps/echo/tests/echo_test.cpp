#include <echo/echo.hpp>

#include <onehop/adversary.hpp>
#include <onehop/error.hpp>

#include <array>
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>

using namespace echo;

namespace {

void expect(bool right, const std::string& what) {
  if (!right) throw std::logic_error(what);
}

constexpr std::array shapes{shape{variant::transfer, 1, 1}, shape{variant::transfer, 5, 3},
                            shape{variant::copy, 1, 1},     shape{variant::copy, 3000, 3000},
                            shape{variant::kernel, 1, 1},   shape{variant::kernel, 7, 3},
                            shape{variant::kernel, 2, 9},   shape{variant::kernel, 3000, 1}};

void play(const onehop::context& job) {
  for (const shape& of : shapes) {
    const auto found = run(job, of, 2, 5);
    expect(found.size() == 5, "rounds");
    for (const round_report& one : found) {
      expect(one.wrong == 0, std::to_string(one.wrong) + " words are wrong");
      expect(job.rank() == 1 || one.time_us > 0, "a round takes time");
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(words_come_back_as_they_should) { onehop::run_on_threads(2, play); }

BOOST_AUTO_TEST_CASE(words_come_back_as_they_should_under_the_adversary) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) onehop::run_with_adversary(2, seed, play);
}

BOOST_AUTO_TEST_CASE(a_kernel_takes_every_word_by_its_place) {
  const std::array<word, 5> words{1, 10, 100, 1000, 10000};
  std::array<word, 2> answer{};
  kernel(words, answer);
  BOOST_TEST(answer[0] == 1 * 1 + 100 * 3 + 10000 * 5);
  BOOST_TEST(answer[1] == 10 * 2 + 1000 * 4);
}

BOOST_AUTO_TEST_CASE(rounds_and_places_have_words_of_their_own) {
  BOOST_TEST(sent_word(1, 0) != sent_word(2, 0));
  BOOST_TEST(sent_word(1, 0) != sent_word(1, 1));
  BOOST_TEST(sent_word(1, 0) != own_word(1, 0));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused) {
  onehop::run_on_threads(2, [](const onehop::context& job) {
    for (const shape& of :
         {shape{variant::copy, 3, 2}, {variant::transfer, 0, 1}, {variant::kernel, 1, 0}}) {
      bool refused = false;
      try {
        pair(job, of);
      } catch (const onehop::usage_error&) {
        refused = true;
      }
      expect(refused, "not refused");
    }
  });
  BOOST_CHECK_THROW(pair(onehop::join("self"), {}), onehop::usage_error);
  BOOST_CHECK_THROW(variant_named("transfers"), onehop::usage_error);
}
