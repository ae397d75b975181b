// Programs that have MPI themselves and join communicators; runs under an MPI launcher. That all
// else works on a communicator as on a whole job is for the tests that embedded.cpp is linked with.

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/mpi.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using test::contains;
using test::message_of;
using test::ring;

namespace {

struct mpi_of_the_program {
  mpi_of_the_program() { MPI_Init(nullptr, nullptr); }
  ~mpi_of_the_program() { MPI_Finalize(); }
};

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

const char* wire() { return std::getenv("CONFORMANCE_TRANSPORT"); }

/// A communicator of the program, which frees it.
struct communicator {
  explicit communicator(int color, int key = 0) {
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &handle);
  }
  ~communicator() {
    if (handle != MPI_COMM_NULL) MPI_Comm_free(&handle);
  }
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;

  MPI_Comm handle = MPI_COMM_NULL;
};

/// Joins the ranks of a colour, whose communicator is gone afterwards.
context join_color(int color, int key = 0) { return join(communicator(color, key).handle, wire()); }

void exchange(ring& one, int number) {
  one.fill_sources(number);
  one.chain.start();
  one.chain.wait();
  one.expect_arrivals(number);
}

}  // namespace

BOOST_GLOBAL_FIXTURE(mpi_of_the_program);

BOOST_AUTO_TEST_CASE(the_order_is_that_of_the_communicator) {
  const int rank = world_rank();
  const context backwards = join_color(rank % 2, -rank);
  const std::vector<int> members = allgather(backwards, rank);
  BOOST_TEST(members[static_cast<std::size_t>(backwards.rank())] == rank);
  for (std::size_t k = 1; k < members.size(); ++k) BOOST_TEST(members[k] == members[k - 1] - 2);
  BOOST_TEST(backwards.rank_in_job() == backwards.rank());
}

BOOST_AUTO_TEST_CASE(contexts_on_communicators_that_overlap_live_at_once) {
  const int rank = world_rank();
  const context halves = join_color(rank / 2, -rank), turns = join_color(rank % 2);
  const context all = join_color(0);
  std::vector<ring> rings;
  for (const context& each : {halves, turns, all}) rings.emplace_back(each, 5000, true);
  for (int number = 1; number <= 5; ++number) {
    for (ring& one : rings) {
      one.fill_sources(number);
      one.chain.start();
    }
    for (auto one = rings.rbegin(); one != rings.rend(); ++one) {
      one->chain.wait();
      one->expect_arrivals(number);
    }
    std::vector<double> sum{1.0};
    allreduce_sum(turns, sum);
    BOOST_TEST(sum[0] == turns.size());
  }
  const context alone = halves.split(halves.rank()).value();
  BOOST_TEST(alone.size() == 1);
}

BOOST_AUTO_TEST_CASE(ranks_outside_go_on_without_onehop) {
  const bool outside = world_rank() == 0;
  const communicator some(outside ? MPI_UNDEFINED : 0);
  if (!outside) {
    const context job = join(some.handle, wire());
    ring one(job, 100, true);
    exchange(one, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

BOOST_AUTO_TEST_CASE(a_rank_that_gives_up_ends_its_context_and_no_other) {
  const int rank = world_rank();
  const context whole = join_color(0);
  {
    const context pair = join_color(rank / 2);
    if (rank == 0)
      pair.abandon("rank 0 has had enough");
    else if (rank == 1)
      BOOST_TEST(contains(message_of<peer_error>([&] { barrier(pair); }), "rank 0 has had enough"));
    else
      barrier(pair);
  }
  ring one(whole, 1000, true);
  exchange(one, 1);
}

BOOST_AUTO_TEST_CASE(a_deadline_in_one_context_leaves_the_others) {
  const int rank = world_rank();
  const context whole = join_color(0);
  {
    const context turns = join_color(rank % 2);
    turns.set_deadline(std::chrono::milliseconds(300));
    if (rank == 2)
      BOOST_TEST(
          contains(message_of<timeout_error>([&] { barrier(turns); }), "rank 1 of 2 waited"));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ring one(whole, 1000, true);
  exchange(one, 1);
}

BOOST_AUTO_TEST_CASE(contexts_that_are_gone_give_their_communicators_back) {
  static int alive = 0;
  // MPI calls these where a communicator is duplicated, and where a duplicate is freed.
  const auto copy = [](MPI_Comm, int, void*, void*, void*, int* copied) {
    ++alive;
    *copied = 1;
    return MPI_SUCCESS;
  };
  const auto remove = [](MPI_Comm, int, void*, void*) {
    --alive;
    return MPI_SUCCESS;
  };
  const communicator marked(0);
  int key = 0;
  MPI_Comm_create_keyval(copy, remove, &key, nullptr);
  MPI_Comm_set_attr(marked.handle, key, nullptr);
  for (int turn = 0; turn < 20; ++turn) {
    barrier(join(marked.handle, wire()));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  BOOST_TEST(alive <= 2);
  MPI_Comm_delete_attr(marked.handle, key);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_joined_is_refused_in_a_line) {
  const auto refusal = [](MPI_Comm comm, const char* by) {
    return message_of<usage_error>([&] { join(comm, by); });
  };
  BOOST_TEST(contains(refusal(MPI_COMM_NULL, "auto"), "join of MPI_COMM_NULL: only the ranks"));
  BOOST_TEST(contains(refusal(MPI_COMM_WORLD, "shm"), "transport shm on a communicator: use auto"));
  BOOST_TEST(contains(refusal(MPI_COMM_WORLD, "self"), "transport self on a communicator"));
  BOOST_TEST(contains(refusal(MPI_COMM_WORLD, "smoke"), "'smoke' is not known"));
  const communicator half(world_rank() % 2);
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Intercomm_create(half.handle, 0, MPI_COMM_WORLD, 1 - world_rank() % 2, 0, &both);
  BOOST_TEST(contains(refusal(both, "auto"), "join of an intercommunicator"));
  MPI_Comm_free(&both);
}

// The context is dropped, with a chain, when the program has finalised MPI.
BOOST_AUTO_TEST_CASE(a_context_outlives_the_programs_mpi) {
  static ring kept(join_color(world_rank() % 2), 5000, true);
  exchange(kept, 1);
}
