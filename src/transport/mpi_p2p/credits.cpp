#include "transport/mpi_p2p/credits.hpp"

#include <algorithm>
#include <set>

#include "transport/mpi/calls.hpp"
#include "transport/mpi/requests.hpp"

namespace onehop::mpi_p2p {

using mpi::check;

credits::credits(const chain_plan& plan, const mpi::job& where, int tag) {
  std::set<int> targets, origins;
  for (const planned_put& put : plan.puts)
    if (put.needs_credit) targets.insert(put.target);
  for (const planned_arrival& arrival : plan.arrivals)
    if (arrival.gives_credit) origins.insert(arrival.origin);
  for (const int rank : targets) {
    targets_.push_back({rank, MPI_REQUEST_NULL, 0});
    MPI_Request& receive = targets_.back().receive;
    check(MPI_Recv_init(nullptr, 0, MPI_BYTE, rank, tag, where.comm, &receive), "MPI_Recv_init");
    check(MPI_Start(&receive), "MPI_Start");
  }
  for (const int rank : origins) {
    origins_.push_back({MPI_REQUEST_NULL, 0});
    check(MPI_Send_init(nullptr, 0, MPI_BYTE, rank, tag, where.comm, &origins_.back().send),
          "MPI_Send_init");
  }
}

credits::~credits() { give_back(); }

void credits::give_back() noexcept {
  for (source& one : targets_) mpi::withdraw(one.receive);
  std::vector<MPI_Request> sends;
  for (const sink& one : origins_) sends.push_back(one.send);
  mpi::finish_sends(sends);
}

bool credits::give(std::uint64_t exchange) {
  bool all = true;
  for (sink& one : origins_) {
    if (one.count == exchange) continue;
    int over = 0;
    check(MPI_Test(&one.send, &over, MPI_STATUS_IGNORE), "MPI_Test");
    all &= over != 0;
    if (over == 0) continue;
    check(MPI_Start(&one.send), "MPI_Start");
    one.count = exchange;
  }
  return all;
}

void credits::take_in() {
  for (source& from : targets_)
    for (int came = 1; came != 0;) {
      check(MPI_Test(&from.receive, &came, MPI_STATUS_IGNORE), "MPI_Test");
      if (came == 0) break;
      ++from.count;
      check(MPI_Start(&from.receive), "MPI_Start");
    }
}

std::uint64_t credits::of(int target) const {
  return std::ranges::find(targets_, target, &source::rank)->count;
}

}  // namespace onehop::mpi_p2p
