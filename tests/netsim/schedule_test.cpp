#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <onehop/error.hpp>
#include <set>

#include "netsim/workload/staged_schedule.hpp"

using onehop::netsim::collective;
using onehop::netsim::make_schedule;
using onehop::netsim::schedule_kind;
using onehop::netsim::schedule_step;
using onehop::netsim::step_list;
using onehop::netsim::tree_shape;

namespace {

/// A rehearsal carries out the steps of all ranks, and says who knows whose contribution in the
/// end.
class rehearsal {
 public:
  rehearsal(collective what, schedule_kind kind, int ranks, int root, tree_shape shape)
      : knows_(static_cast<std::size_t>(ranks)), at_(knows_.size()), sent_(knows_.size()) {
    for (int rank = 0; rank < ranks; ++rank) {
      steps_.push_back(make_schedule(what, kind, ranks, rank, 1000, root, shape));
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

namespace onehop::netsim {
std::ostream& operator<<(std::ostream& out, schedule_kind kind) {
  return out << "schedule " << static_cast<int>(kind);
}
}  // namespace onehop::netsim

BOOST_AUTO_TEST_CASE(what_is_heard_is_what_was_sent) {
  using collective_of_kind = std::pair<collective, schedule_kind>;
  for (const auto& [what, kind] : {collective_of_kind{collective::barrier, schedule_kind::linear},
                                   {collective::allgather, schedule_kind::dissemination},
                                   {collective::allgather, schedule_kind::recursive_doubling},
                                   {collective::allreduce, schedule_kind::ring},
                                   {collective::allreduce, schedule_kind::recursive_doubling},
                                   {collective::allreduce, schedule_kind::reduce_scatter},
                                   {collective::alltoall, schedule_kind::pairwise},
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
          schedule_kind::reduce_scatter, schedule_kind::ring, schedule_kind::linear})
      for (int ranks = 1; ranks <= 17; ++ranks) {
        if (what == collective::barrier && kind > schedule_kind::dissemination &&
            kind != schedule_kind::linear)
          continue;
        if (what == collective::allreduce && kind == schedule_kind::linear) continue;
        if (what != collective::allreduce && kind == schedule_kind::reduce_scatter) continue;
        const rehearsal played(what, kind, ranks, 0, {});
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
          const std::size_t segment = fan == 2 ? 300 : 0;
          const rehearsal played(collective::broadcast, kind, ranks, root, {fan, segment});
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

/// Each rank's values count once in what every rank has in the end, and nothing that is not whole
/// is passed on as a result.
BOOST_AUTO_TEST_CASE(a_sum_counts_every_rank_once) {
  using counts = std::vector<int>;
  for (const auto kind : {schedule_kind::recursive_doubling, schedule_kind::reduce_scatter})
    for (int ranks = 2; ranks <= 17; ++ranks) {
      const auto all = static_cast<std::size_t>(ranks);
      std::vector<counts> has(all, counts(all));
      std::vector<step_list> steps;
      for (int rank = 0; rank < ranks; ++rank) {
        has[static_cast<std::size_t>(rank)][static_cast<std::size_t>(rank)] = 1;
        steps.push_back(make_schedule(collective::allreduce, kind, ranks, rank, 1000));
      }
      std::vector<std::size_t> at(all), sent(all);
      std::map<std::pair<int, int>, std::vector<counts>> mail;
      const auto step = [&](std::size_t rank) {
        if (at[rank] == steps[rank].size()) return false;
        const schedule_step& now = steps[rank][at[rank]];
        const int self = static_cast<int>(rank);
        if (now.to >= 0 && sent[rank] == at[rank]) {
          mail[{self, now.to}].push_back(has[rank]);
          ++sent[rank];
        } else if (now.to < 0) {
          sent[rank] = at[rank] + 1;
        }
        if (now.from >= 0) {
          auto& box = mail[{now.from, self}];
          if (box.empty()) return false;
          for (std::size_t k = 0; k < all; ++k)
            has[rank][k] = box.front()[k] + (now.combines ? has[rank][k] : 0);
          box.erase(box.begin());
        }
        return ++at[rank] > 0;
      };
      for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < all; ++rank) moved |= step(rank);
      }
      for (const counts& each : has)
        BOOST_TEST((each == counts(all, 1)), kind << " of " << ranks << " ranks");
    }
}

BOOST_AUTO_TEST_CASE(halves_of_a_sum_are_together_all_of_it) {
  for (const int ranks : {2, 3, 7, 16})
    for (const std::size_t bytes : {136, 1000, 12345}) {
      const step_list steps =
          make_schedule(collective::allreduce, schedule_kind::reduce_scatter, ranks, 1, bytes);
      std::size_t summed = 0, gathered = 0;
      for (const schedule_step& step : steps)
        if (step.to >= 0 && step.from >= 0) (step.combines ? summed : gathered) += step.bytes;
      const std::size_t power = ranks == 3 ? 2 : ranks == 7 ? 4 : static_cast<std::size_t>(ranks);
      BOOST_TEST(summed >= bytes - bytes / power - 1);
      BOOST_TEST(summed <= bytes);
      BOOST_TEST(gathered <= bytes);
    }
  // With less than a number for each rank, all of it goes to everybody.
  for (const schedule_step& step :
       make_schedule(collective::allreduce, schedule_kind::reduce_scatter, 16, 1, 64))
    BOOST_TEST(step.bytes == 64U);
}

BOOST_AUTO_TEST_CASE(segments_of_a_tree_are_together_the_message) {
  for (const std::size_t segment :
       {std::size_t{0}, std::size_t{1}, std::size_t{300}, std::size_t{5000}}) {
    std::map<int, std::size_t> sent;
    std::size_t longest = 0;
    for (const schedule_step& step : make_schedule(collective::broadcast, schedule_kind::k_nomial,
                                                   16, 0, 1000, 0, {3, segment})) {
      sent[step.to] += step.bytes;
      longest = std::max(longest, step.bytes);
    }
    BOOST_TEST(sent.size() == 6U);
    for (const auto& [to, bytes] : sent) BOOST_TEST(bytes == 1000U);
    BOOST_TEST(longest == (segment == 0 ? 1000 : std::min<std::size_t>(segment, 1000)));
  }
}

BOOST_AUTO_TEST_CASE(what_is_staged_in_parts_is_copied_once) {
  using copy = schedule_step::copy;
  const auto copied = [](collective what, schedule_kind kind, onehop::netsim::staging how,
                         int copies) {
    std::map<copy, std::size_t> bytes;
    const step_list among = make_schedule(what, kind, 7, 1, 1000);
    for (const schedule_step& step : staged(among, what, how, 7, 1, 1000, 0, copies))
      if (step.copies != copy::none) bytes[step.copies] += step.bytes;
    return std::pair(bytes[copy::out], bytes[copy::in]);
  };
  using enum onehop::netsim::staging;
  const auto ring = schedule_kind::ring;
  BOOST_TEST(
      (copied(collective::allgather, ring, none, 1) == std::pair<std::size_t, std::size_t>()));
  BOOST_TEST((copied(collective::allgather, ring, whole, 1) == std::pair(1000UL, 7000UL)));
  // The rank's own part is there already.
  BOOST_TEST((copied(collective::allgather, ring, parts, 1) == std::pair(1000UL, 6000UL)));
  BOOST_TEST((copied(collective::allreduce, ring, parts, 2) == std::pair(2000UL, 1000UL)));
  BOOST_TEST(
      (copied(collective::broadcast, schedule_kind::k_nomial, parts, 1) == std::pair(0UL, 1000UL)));
}

step_list staged_alltoall(int ranks, int rank, std::size_t bytes, std::size_t copy_bytes) {
  constexpr auto what = collective::alltoall;
  return onehop::netsim::staged(make_schedule(what, schedule_kind::pairwise, ranks, rank, bytes),
                                what, onehop::netsim::staging::parts, ranks, rank, bytes, 0, 1,
                                copy_bytes);
}

BOOST_AUTO_TEST_CASE(a_staged_alltoall_of_nothing_has_its_steps) {
  BOOST_TEST(staged_alltoall(4, 1, 0, 4096).size() == staged_alltoall(4, 1, 8, 0).size());
}

BOOST_AUTO_TEST_CASE(a_staged_alltoall_copies_all_and_sends_to_all) {
  using copy = schedule_step::copy;
  for (const int ranks : {2, 7, 16})
    for (const std::size_t block : {0, 8, 300, 1000}) {
      std::map<std::pair<int, int>, int> sent, heard;
      for (int rank = 0; rank < ranks; ++rank) {
        std::map<copy, std::size_t> bytes;
        std::map<copy, int> copies;
        for (const schedule_step& step : staged_alltoall(ranks, rank, 100, block)) {
          if (step.copies != copy::none) bytes[step.copies] += step.bytes, ++copies[step.copies];
          if (step.to >= 0) ++sent[{rank, step.to}];
          if (step.from >= 0) ++heard[{step.from, rank}];
        }
        BOOST_TEST(bytes[copy::out] == 100 * static_cast<std::size_t>(ranks));
        BOOST_TEST(bytes[copy::in] == 100 * static_cast<std::size_t>(ranks));
        const int fit = block == 0 ? ranks : std::max(1, static_cast<int>(block) / 100);
        BOOST_TEST(copies[copy::out] == (ranks + fit - 1) / fit);
        BOOST_TEST(copies[copy::in] == (ranks + fit - 1) / fit);
      }
      BOOST_TEST((sent == heard));
      BOOST_TEST(sent.size() == static_cast<std::size_t>(ranks * ranks));
    }
}

BOOST_AUTO_TEST_CASE(a_schedule_that_the_collective_does_not_know_is_refused) {
  BOOST_CHECK_EXCEPTION(
      make_schedule(collective::allreduce, schedule_kind::chain, 4, 0, 8), onehop::usage_error,
      [](const onehop::usage_error& said) {
        return std::string_view(said.what())
            .ends_with("use dissemination, recursive-doubling, reduce-scatter, ring");
      });
  BOOST_CHECK_THROW(make_schedule(collective::alltoall, schedule_kind::ring, 4, 0, 8),
                    onehop::usage_error);
  BOOST_CHECK_THROW(onehop::netsim::schedule_named("bionmial"), onehop::usage_error);
  BOOST_CHECK_THROW(onehop::netsim::collective_named("gossip"), onehop::usage_error);
}

BOOST_AUTO_TEST_CASE(names_of_schedules_are_those_that_are_read) {
  for (const auto kind : {schedule_kind::dissemination, schedule_kind::recursive_doubling,
                          schedule_kind::reduce_scatter, schedule_kind::ring, schedule_kind::linear,
                          schedule_kind::k_nomial, schedule_kind::chain,
                          schedule_kind::scatter_allgather, schedule_kind::pairwise})
    BOOST_TEST(onehop::netsim::schedule_named(onehop::netsim::name_of(kind)) == kind);
}
