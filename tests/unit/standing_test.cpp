// Ranks that send and wait at random, over a wire on which messages take their time, are asked
// again and again how they stand.

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

#include "mpi/standing.hpp"
#include "support/effort.hpp"

using onehop::mpi_abi::none_goes_on;
using onehop::mpi_abi::standing;

namespace {

class job {
 public:
  explicit job(std::uint64_t seed) : random_(static_cast<unsigned>(seed)), ranks_(3) {}

  /// Lets one thing happen: a rank sends or begins to wait, or a message comes, which may be long
  /// after.
  void go_on() {
    rank& one = ranks_[draw(ranks_.size())];
    if (!one.waits) {
      if (one.has_left > 0 && draw(3) > 0)
        send(one);
      else
        one.begin_wait();
    }
    const std::size_t slowness = 2 + draw(12);
    if (!under_way_.empty() && draw(slowness) == 0) deliver(draw(under_way_.size()));
  }

  /// Ranks answer in any order, each once it waits, while others go on.
  std::vector<standing> ask() {
    std::vector<standing> answers(ranks_.size());
    std::vector<bool> open(ranks_.size(), true);
    while (std::ranges::count(open, true) > 0) {
      if (draw(2) == 0) go_on();
      const std::size_t which = draw(ranks_.size());
      if (!ranks_[which].waits || !open[which]) continue;
      answers[which] = ranks_[which].stands;
      open[which] = false;
    }
    return answers;
  }

  /// Returns whether every rank waits and nothing is under way that could end a wait.
  bool is_over() const {
    return under_way_.empty() && std::ranges::all_of(ranks_, [](const rank& r) { return r.waits; });
  }

 private:
  struct rank {
    standing stands;
    bool waits = false;
    int has_left = 4;  ///< messages that it may still send

    void begin_wait() {
      waits = true;
      ++stands.changes;
    }
  };

  std::size_t draw(std::size_t below) { return random_() % below; }
  void send(rank& from) {
    --from.has_left;
    ++from.stands.sent;
    under_way_.push_back(draw(ranks_.size()));
  }
  void deliver(std::size_t which) {
    rank& to = ranks_[under_way_[which]];
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
    ++to.stands.received;
    to.stands.changes += to.waits ? 2 : 1;
    to.waits = false;
  }

  std::mt19937 random_;
  std::vector<rank> ranks_;
  std::vector<std::size_t> under_way_;  ///< whom messages go to
};

const std::uint64_t seeds = test::share_of(20000);

}  // namespace

BOOST_AUTO_TEST_CASE(no_rank_is_said_to_be_stuck_while_a_message_is_under_way) {
  std::uint64_t too_early = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    job ranks(seed);
    std::vector<standing> before, now;
    while (!none_goes_on(before, now)) {
      before = now;
      now = ranks.ask();
    }
    too_early += ranks.is_over() ? 0 : 1;
  }
  BOOST_TEST(too_early == 0U);
}

BOOST_AUTO_TEST_CASE(ranks_that_all_wait_are_found_by_two_questions) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    job ranks(seed);
    while (!ranks.is_over()) ranks.go_on();
    const std::vector<standing> before = ranks.ask(), now = ranks.ask();
    BOOST_TEST_REQUIRE(none_goes_on(before, now), seed);
  }
}

BOOST_AUTO_TEST_CASE(one_answer_of_each_rank_says_nothing) {
  BOOST_TEST(!none_goes_on({}, {}));
  const std::vector<standing> once(2);
  BOOST_TEST(!none_goes_on({}, once));
}
