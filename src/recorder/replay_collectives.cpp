// These functions execute orders of collectives.

#include <algorithm>
#include <unordered_map>

#include "recorder/replay.hpp"

extern "C" {
int MPI_Waitall(int, MPI_Request*, MPI_Status*);
int MPI_Ibarrier(MPI_Comm, MPI_Request*);
int MPI_Ibcast(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*);
int MPI_Ireduce(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Request*);
#define ONEHOP_ARGUMENTS const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*
int MPI_Iallreduce(ONEHOP_ARGUMENTS);
int MPI_Iscan(ONEHOP_ARGUMENTS);
int MPI_Iexscan(ONEHOP_ARGUMENTS);
int MPI_Ireduce_scatter_block(ONEHOP_ARGUMENTS);
#undef ONEHOP_ARGUMENTS
int MPI_Ireduce_scatter(const void*, void*, const int*, MPI_Datatype, MPI_Op, MPI_Comm,
                        MPI_Request*);
#define ONEHOP_ARGUMENTS const void*, int, MPI_Datatype, void*, int, MPI_Datatype
int MPI_Igather(ONEHOP_ARGUMENTS, int, MPI_Comm, MPI_Request*);
int MPI_Iscatter(ONEHOP_ARGUMENTS, int, MPI_Comm, MPI_Request*);
int MPI_Iallgather(ONEHOP_ARGUMENTS, MPI_Comm, MPI_Request*);
int MPI_Ialltoall(ONEHOP_ARGUMENTS, MPI_Comm, MPI_Request*);
#undef ONEHOP_ARGUMENTS
int MPI_Igatherv(const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, int,
                 MPI_Comm, MPI_Request*);
int MPI_Iscatterv(const void*, const int*, const int*, MPI_Datatype, void*, int, MPI_Datatype, int,
                  MPI_Comm, MPI_Request*);
int MPI_Iallgatherv(const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype,
                    MPI_Comm, MPI_Request*);
int MPI_Ialltoallv(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
                   MPI_Datatype, MPI_Comm, MPI_Request*);
}

namespace onehop::recorder {
namespace {

/// Only the nonblocking functions are used; for a blocking collective the replay waits at once,
/// which takes the same messages.
using collective = void(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made);

void barrier(stage&, orders_reader&, MPI_Comm comm, MPI_Request* made) { MPI_Ibarrier(comm, made); }
void broadcast(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made) {
  const int bytes = words.whole(), root = words.whole();
  MPI_Ibcast(here.in(), bytes, byte, root, comm, made);
}
void reduce(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made) {
  const int count = words.whole();
  const MPI_Datatype type = here.type_of(words.number());
  MPI_Ireduce(here.out(), here.in(), count, type, here.nothing(), words.whole(), comm, made);
}
template <int (*Combine)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*)>
void combine(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made) {
  const int count = words.whole();
  Combine(here.out(), here.in(), count, here.type_of(words.number()), here.nothing(), comm, made);
}
void reduce_scatter(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made) {
  std::vector<int> counts = words.list();
  const int size = std::max(words.whole(), 1);
  for (int& each : counts) each /= size;
  MPI_Ireduce_scatter(here.out(), here.in(), counts.data(), here.type_of(size), here.nothing(),
                      comm, made);
}
void gather(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made) {
  const int bytes = words.whole(), root = words.whole();
  MPI_Igather(here.out(), bytes, byte, here.in(), bytes, byte, root, comm, made);
}
void scatter(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made) {
  const int bytes = words.whole(), root = words.whole();
  MPI_Iscatter(here.out(), bytes, byte, here.in(), bytes, byte, root, comm, made);
}
template <int (*Exchange)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm,
                          MPI_Request*)>
void exchange(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made) {
  const int bytes = words.whole();
  Exchange(here.out(), bytes, byte, here.in(), bytes, byte, comm, made);
}

/// All parts of a list use the same memory.
std::vector<int> places_of(const std::vector<int>& counts) {
  return std::vector<int>(counts.size(), 0);
}
void gather_lists(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made) {
  const int bytes = words.whole();
  const std::vector<int> counts = words.list(), places = places_of(counts);
  MPI_Igatherv(here.out(), bytes, byte, here.in(), counts.data(), places.data(), byte,
               words.whole(), comm, made);
}
void scatter_lists(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made) {
  const int bytes = words.whole();
  const std::vector<int> counts = words.list(), places = places_of(counts);
  MPI_Iscatterv(here.out(), counts.data(), places.data(), byte, here.in(), bytes, byte,
                words.whole(), comm, made);
}
void gather_lists_for_all(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made) {
  const std::vector<int> counts = words.list(), places = places_of(counts);
  const int own = words.whole();
  MPI_Iallgatherv(here.out(), own, byte, here.in(), counts.data(), places.data(), byte, comm, made);
}
void exchange_lists(stage& here, orders_reader& words, MPI_Comm comm, MPI_Request* made) {
  const std::vector<int> out = words.list(), in = words.list(), places = places_of(in);
  MPI_Ialltoallv(here.out(), out.data(), places.data(), byte, here.in(), in.data(), places.data(),
                 byte, comm, made);
}

template <collective* What>
void now(stage& here, orders_reader& words) {
  MPI_Request made = nullptr;
  What(here, words, here.comm(words.number()), &made);
  MPI_Waitall(1, &made, nullptr);
}
/// The number of the request is at the end of the line.
template <collective* What>
void later(stage& here, orders_reader& words) {
  MPI_Request made = nullptr;
  What(here, words, here.comm(words.number()), &made);
  here.request(words.number()) = made;
}

#define ONEHOP_BOTH(name, what)                     \
  {name, {subject::collectives, now<what>}}, {      \
    "i" name, { subject::collectives, later<what> } \
  }

const std::unordered_map<std::string_view, order> orders{
    ONEHOP_BOTH("barrier", barrier),
    ONEHOP_BOTH("bcast", broadcast),
    ONEHOP_BOTH("reduce", reduce),
    ONEHOP_BOTH("allreduce", combine<MPI_Iallreduce>),
    ONEHOP_BOTH("scan", combine<MPI_Iscan>),
    ONEHOP_BOTH("exscan", combine<MPI_Iexscan>),
    ONEHOP_BOTH("reduce_scatter_block", combine<MPI_Ireduce_scatter_block>),
    ONEHOP_BOTH("reduce_scatter", reduce_scatter),
    ONEHOP_BOTH("gather", gather),
    ONEHOP_BOTH("scatter", scatter),
    ONEHOP_BOTH("allgather", exchange<MPI_Iallgather>),
    ONEHOP_BOTH("alltoall", exchange<MPI_Ialltoall>),
    ONEHOP_BOTH("gatherv", gather_lists),
    ONEHOP_BOTH("scatterv", scatter_lists),
    ONEHOP_BOTH("allgatherv", gather_lists_for_all),
    ONEHOP_BOTH("alltoallv", exchange_lists),
};

}  // namespace

const order* collective_named(std::string_view kind) {
  const auto found = orders.find(kind);
  return found == orders.end() ? nullptr : &found->second;
}

}  // namespace onehop::recorder
