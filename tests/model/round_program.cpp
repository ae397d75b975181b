// Rounds by messages in rings, written by hand beside src/transport/stores/transport.cpp.

#include <string>

#include "model/protocols.hpp"

namespace model {
namespace {

using kind = operation::kind;

class round_program final : public program {
 public:
  round_program(const round_model& rounds, std::size_t rank) : rounds_(rounds), rank_(rank) {
    const auto hear = [&](std::size_t other, std::uint64_t round, bool reads) {
      steps_.push_back({round, other, false, reads});
    };
    for (std::uint64_t round = 1; round <= rounds.rounds; ++round) {
      steps_.push_back({round, rank, true, true});
      if (rounds.left_open > 0) hear(0, round, true);
      const bool all = rounds.broken != weakness::no_wait_for_every_message;
      for (std::size_t other = 0; other < (all ? static_cast<std::size_t>(rounds.ranks) : 1);
           ++other)
        if (round > rounds.left_open) hear(other, round - rounds.left_open, rounds.left_open == 0);
    }
  }

  std::string name() const override { return "rank " + std::to_string(rank_); }
  std::size_t steps() const override { return steps_.size(); }
  std::unique_ptr<program> copy() const override { return std::make_unique<round_program>(*this); }
  std::uint64_t fingerprint(std::size_t) const override { return 0; }

  bool step(std::size_t number) override {
    const auto& [round, of, posts, reads] = steps_[number];
    const std::size_t heads = rounds_.heads() - (is(weakness::head_missing) ? 1 : 0);
    const std::size_t places = rounds_.places() - (is(weakness::place_missing) ? 1 : 0);
    const std::size_t head = rounds_.heads() * of + round % heads;
    const std::size_t place = rounds_.heads() * static_cast<std::size_t>(rounds_.ranks) +
                              rounds_.places() * of + round % places;
    if (posts) {
      perform({kind::write, place, round});
      perform({kind::write, head, round});
      perform({kind::store, head, round, !is(weakness::relaxed_flag_store)});
      return true;
    }
    if (perform({kind::load, head, 0, !is(weakness::relaxed_flag_load)}) != round) return false;
    perform({kind::read, head, round});
    if (reads) perform({kind::read, place, round});
    return true;
  }

 private:
  struct round_step {
    std::uint64_t round;
    std::size_t of;  ///< whose message
    bool posts;
    bool reads;  ///< the message and not only its tag
  };

  bool is(weakness what) const { return rounds_.broken == what; }

  round_model rounds_;
  std::size_t rank_;
  std::vector<round_step> steps_;
};

}  // namespace

verdict round_model::explored() const {
  const auto all = static_cast<std::size_t>(ranks);
  system_model system{{}, all * heads(), all * (heads() + places())};
  for (std::size_t rank = 0; rank < all; ++rank)
    system.threads.push_back(std::make_shared<round_program>(*this, rank));
  return explore(system);
}

}  // namespace model
