#include "netsim/workload/collective_run.hpp"

#include <onehop/error.hpp>
#include <vector>

#include "netsim/workload/collective_walk.hpp"

namespace onehop::netsim {
namespace {

class collective_run final : public walk_listener {
 public:
  collective_run(const machine_description& machine, const rank_memory& where, collective what,
                 int ranks, std::size_t bytes)
      : ways_(machine, where), dispatcher_(machine), walks_(ranks, dispatcher_, ways_, *this) {
    for (int rank = 0; rank < ranks; ++rank)
      plans_.push_back(ways_.plan_of(what, ranks, rank, bytes));
  }

  picoseconds time_of(std::uint64_t round) {
    const picoseconds begin = dispatcher_.net().now();
    through_ = 0;
    for (std::size_t rank = 0; rank < plans_.size(); ++rank)
      walks_.begin(static_cast<int>(rank), round, plans_[rank]);
    dispatcher_.net().run();
    if (through_ < plans_.size()) throw error("a rank of a collective waits for what nobody sends");
    return last_ - begin;
  }

  void through(int, std::uint64_t) override {
    ++through_;
    last_ = dispatcher_.net().now();
  }

 private:
  routes ways_;
  dispatcher dispatcher_;
  collective_walks walks_;
  std::vector<collective_plan> plans_;
  std::size_t through_ = 0;
  picoseconds last_ = 0;
};

}  // namespace

picoseconds collective_time(const machine_description& machine, const rank_memory& where,
                            collective what, int ranks, std::size_t bytes) {
  collective_run run(machine, where, what, ranks, bytes);
  run.time_of(1);
  return run.time_of(2);
}

}  // namespace onehop::netsim
