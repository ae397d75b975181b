#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <onehop/error.hpp>
#include <set>

#include "rma/schedule.hpp"

using onehop::collective;
using onehop::make_schedule;
using onehop::schedule_kind;
using onehop::schedule_step;
using onehop::step_list;

namespace {

/// Carries out the steps of all ranks: who knows whose contribution in the end.
class rehearsal {
 public:
  rehearsal(collective what, schedule_kind kind, int ranks, int root, int fan)
      : knows_(static_cast<std::size_t>(ranks)), at_(knows_.size()), sent_(knows_.size()) {
    for (int rank = 0; rank < ranks; ++rank) {
      steps_.push_back(make_schedule(what, kind, ranks, rank, 1000, root, fan));
      if (what != collective::broadcast || rank == root)
        knows_[static_cast<std::size_t>(rank)] = {rank};
    }
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < knows_.size(); ++rank) moved |= step(rank);
    }
  }

  bool over() const {
    for (std::size_t rank = 0; rank < knows_.size(); ++rank)
      if (at_[rank] != steps_[rank].size()) return false;
    for (const auto& [pair, messages] : mail_)
      if (!messages.empty()) return false;
    return true;
  }
  const std::vector<std::set<int>>& knows() const { return knows_; }

 private:
  bool step(std::size_t rank) {
    if (at_[rank] == steps_[rank].size()) return false;
    const schedule_step& now = steps_[rank][at_[rank]];
    const int self = static_cast<int>(rank);
    if (now.to >= 0 && !sent_[rank]) mail_[{self, now.to}].push_back(knows_[rank]);
    sent_[rank] = true;
    if (now.from >= 0) {
      auto& box = mail_[{now.from, self}];
      if (box.empty()) return false;
      knows_[rank].insert(box.front().begin(), box.front().end());
      box.erase(box.begin());
    }
    ++at_[rank];
    sent_[rank] = false;
    return true;
  }

  std::vector<std::set<int>> knows_;
  std::vector<std::size_t> at_;
  std::vector<char> sent_;
  std::vector<step_list> steps_;
  std::map<std::pair<int, int>, std::vector<std::set<int>>> mail_;
};

}  // namespace

namespace onehop {
std::ostream& operator<<(std::ostream& out, schedule_kind kind) {
  return out << "schedule " << static_cast<int>(kind);
}
}  // namespace onehop

BOOST_AUTO_TEST_CASE(what_is_heard_is_what_was_sent) {
  using collective_of_kind = std::pair<collective, schedule_kind>;
  for (const auto& [what, kind] : {collective_of_kind{collective::barrier, schedule_kind::linear},
                                   {collective::allgather, schedule_kind::dissemination},
                                   {collective::allgather, schedule_kind::recursive_doubling},
                                   {collective::allreduce, schedule_kind::ring},
                                   {collective::broadcast, schedule_kind::linear},
                                   {collective::broadcast, schedule_kind::k_nomial},
                                   {collective::broadcast, schedule_kind::chain},
                                   {collective::broadcast, schedule_kind::scatter_allgather}})
    for (const int ranks : {2, 7, 16}) {
      std::map<std::pair<int, int>, std::vector<std::size_t>> sent, heard;
      for (int rank = 0; rank < ranks; ++rank)
        for (const schedule_step& step : make_schedule(what, kind, ranks, rank, 1000, ranks / 2)) {
          if (step.to >= 0) sent[{rank, step.to}].push_back(step.bytes);
          if (step.from >= 0) heard[{step.from, rank}].push_back(step.heard);
        }
      BOOST_TEST((sent == heard), kind << " of " << ranks << " ranks");
    }
}

BOOST_AUTO_TEST_CASE(every_rank_hears_of_every_rank) {
  for (const collective what : {collective::barrier, collective::allgather, collective::allreduce})
    for (const auto kind :
         {schedule_kind::automatic, schedule_kind::dissemination, schedule_kind::recursive_doubling,
          schedule_kind::ring, schedule_kind::linear})
      for (int ranks = 1; ranks <= 17; ++ranks) {
        if (what == collective::barrier && kind > schedule_kind::dissemination &&
            kind != schedule_kind::linear)
          continue;
        if (what == collective::allreduce && kind == schedule_kind::linear) continue;
        const rehearsal played(what, kind, ranks, 0, 1);
        BOOST_TEST_CONTEXT(ranks << " ranks, " << kind) {
          BOOST_TEST(played.over());
          for (const auto& known : played.knows())
            BOOST_TEST(static_cast<int>(known.size()) == ranks);
        }
      }
}

BOOST_AUTO_TEST_CASE(a_broadcast_reaches_every_rank_from_any_root) {
  for (const auto kind : {schedule_kind::k_nomial, schedule_kind::chain, schedule_kind::linear,
                          schedule_kind::scatter_allgather})
    for (int ranks = 1; ranks <= 17; ++ranks)
      for (int root = 0; root < ranks; ++root)
        for (int fan = 1; fan <= 3; ++fan) {
          const rehearsal played(collective::broadcast, kind, ranks, root, fan);
          BOOST_TEST_CONTEXT(ranks << " ranks, root " << root << ", " << kind << ", fan " << fan) {
            BOOST_TEST(played.over());
            for (const auto& known : played.knows()) BOOST_TEST(known.contains(root));
          }
        }
}

BOOST_AUTO_TEST_CASE(an_allgather_sends_as_much_as_it_must) {
  for (const auto kind : {schedule_kind::dissemination, schedule_kind::recursive_doubling,
                          schedule_kind::ring, schedule_kind::linear})
    for (const int ranks : {2, 3, 8, 13}) {
      std::size_t bytes = 0;
      for (const schedule_step& step :
           make_schedule(collective::allgather, kind, ranks, 1, 1000, 0))
        bytes += step.bytes;
      BOOST_TEST(bytes == 1000 * static_cast<std::size_t>(ranks - 1));
    }
}

BOOST_AUTO_TEST_CASE(a_staged_alltoall_copies_all_and_sends_to_all) {
  using copy = schedule_step::copy;
  for (const int ranks : {2, 7, 16})
    for (const std::size_t block : {0, 8, 300, 1000}) {
      std::map<std::pair<int, int>, int> sent, heard;
      for (int rank = 0; rank < ranks; ++rank) {
        std::map<copy, std::size_t> bytes;
        for (const schedule_step& step : onehop::staged_alltoall(ranks, rank, 100, block)) {
          if (step.copies != copy::none) bytes[step.copies] += step.bytes;
          if (step.to >= 0) ++sent[{rank, step.to}];
          if (step.from >= 0) ++heard[{step.from, rank}];
        }
        BOOST_TEST(bytes[copy::out] == 100 * static_cast<std::size_t>(ranks));
        BOOST_TEST(bytes[copy::in] == 100 * static_cast<std::size_t>(ranks));
      }
      BOOST_TEST((sent == heard));
      BOOST_TEST(sent.size() == static_cast<std::size_t>(ranks * ranks));
    }
}

BOOST_AUTO_TEST_CASE(a_schedule_that_the_collective_does_not_know_is_refused) {
  BOOST_CHECK_THROW(make_schedule(collective::allreduce, schedule_kind::chain, 4, 0, 8),
                    onehop::usage_error);
  BOOST_CHECK_THROW(onehop::schedule_named("bionmial"), onehop::usage_error);
}
