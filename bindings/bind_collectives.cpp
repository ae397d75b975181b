#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <onehop/alltoall.hpp>
#include <onehop/collective_stream.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/persistent_collective.hpp>

#include "bind.hpp"
#include "owned_array.hpp"
#include "span_caster.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using bytes = std::span<std::byte>;
using constant_bytes = std::span<const std::byte>;

/// Returns the combiner of a type and an operation; onehop.collectives names both and has rejected
/// all other names.
onehop::combiner combiner_named(const std::string& type, const std::string& operation) {
  using onehop::reduction;
  static const std::map<std::string, reduction> kinds{
      {"sum", reduction::sum},     {"min", reduction::min},   {"max", reduction::max},
      {"and", reduction::bit_and}, {"or", reduction::bit_or}, {"xor", reduction::bit_xor}};
  static const std::map<std::string, onehop::combiner (*)(reduction)> types{
      {"int32", onehop::combiner_of<std::int32_t>},
      {"int64", onehop::combiner_of<std::int64_t>},
      {"uint32", onehop::combiner_of<std::uint32_t>},
      {"uint64", onehop::combiner_of<std::uint64_t>},
      {"float32", onehop::combiner_of<float>},
      {"float64", onehop::combiner_of<double>}};
  return types.at(type)(kinds.at(operation));
}

/// Binds a function that combines the values of all ranks in place, and returns nothing or the
/// persistent collective that does so.
template <class Result>
void bind_in_place(nb::module_& m, const char* name,
                   Result (*call)(const onehop::context&, bytes, const onehop::combiner&),
                   const char* doc) {
  m.def(
      name,
      [call](const onehop::context& c, bytes values, const std::string& type,
             const std::string& operation) {
        return call(c, values, combiner_named(type, operation));
      },
      "context"_a, "values"_a.noconvert(), "type"_a, "operation"_a, release_gil(), doc);
}

/// Binds a function that combines the values of all ranks for one rank only.
template <class Result>
void bind_at_root(nb::module_& m, const char* name,
                  Result (*call)(const onehop::context&, bytes, const onehop::combiner&, int),
                  const char* doc) {
  m.def(
      name,
      [call](const onehop::context& c, bytes values, const std::string& type,
             const std::string& operation,
             int root) { return call(c, values, combiner_named(type, operation), root); },
      "context"_a, "values"_a.noconvert(), "type"_a, "operation"_a, "root"_a, release_gil(), doc);
}

/// Binds a function that gives each rank one block of the combined values.
template <class Result>
void bind_scattering(nb::module_& m, const char* name,
                     Result (*call)(const onehop::context&, constant_bytes, bytes,
                                    const onehop::combiner&),
                     const char* doc) {
  m.def(
      name,
      [call](const onehop::context& c, constant_bytes all, bytes mine, const std::string& type,
             const std::string& operation) {
        return call(c, all, mine, combiner_named(type, operation));
      },
      "context"_a, "all"_a, "mine"_a.noconvert(), "type"_a, "operation"_a, release_gil(), doc);
}

void bind_reductions(nb::module_& m) {
  using onehop::combiner, onehop::context;
  m.def(
      "allreduce_sum",
      [](const context& c, std::span<double> values, bool fast_order) {
        onehop::allreduce_sum(c, values,
                              fast_order ? onehop::sum_order::fast : onehop::sum_order::fixed);
      },
      "context"_a, "values"_a.noconvert(), "fast_order"_a = false, release_gil(),
      "Sums in place: in rank order with the same bits on all ranks, or in the transport's own "
      "order.");
  m.def("allreduce_max", &onehop::allreduce_max, "context"_a, "values"_a.noconvert(),
        release_gil());
  bind_in_place<void>(
      m, "allreduce",
      [](const context& c, bytes values, const combiner& how) {
        onehop::allreduce(c, values, how);
      },
      "Combines the values of all ranks in rank order, in place.");
  bind_at_root<void>(m, "reduce", &onehop::reduce,
                     "Combines as allreduce does, in place, for `root` only.");
  bind_in_place<void>(m, "scan", &onehop::scan,
                      "Combines the values of the ranks from 0 to this one, in place.");
  bind_in_place<void>(m, "exclusive_scan", &onehop::exclusive_scan,
                      "Combines the values of the ranks before this one, in place.");
  bind_scattering<void>(
      m, "reduce_scatter", &onehop::reduce_scatter,
      "Combines `all` of all ranks; block r of the result becomes `mine` of rank r.");
}

using byte_array = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

/// Keeps the arrays of a list for as long as a call takes; their spans alone would not.
using contiguous_memory = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

using spans = std::vector<std::span<const std::byte>>;

spans spans_of(const std::vector<contiguous_memory>& blocks) {
  spans all;
  for (const contiguous_memory& block : blocks)
    all.emplace_back(static_cast<const std::byte*>(block.data()), block.nbytes());
  return all;
}
using writable_memory = nb::ndarray<nb::c_contig, nb::device::cpu>;
std::vector<bytes> spans_of(const std::vector<writable_memory>& blocks) {
  std::vector<bytes> all;
  for (const writable_memory& block : blocks)
    all.emplace_back(static_cast<std::byte*>(block.data()), block.nbytes());
  return all;
}
nb::list arrays_of(std::vector<std::vector<std::byte>>&& received) {
  nb::list arrays;
  for (auto& one : received) arrays.append(owned_array<byte_array>(std::move(one)));
  return arrays;
}

/// Returns arrays of bytes from each rank.
nb::list alltoallv(const onehop::context& c, const std::vector<contiguous_memory>& blocks) {
  return arrays_of(without_gil([&] { return onehop::alltoallv<std::byte>(c, spans_of(blocks)); }));
}

/// Returns arrays of bytes from each rank on `root`, and none on other ranks.
nb::list gatherv(const onehop::context& c, constant_bytes mine, int root) {
  return arrays_of(without_gil([&] { return onehop::gatherv<std::byte>(c, mine, root); }));
}

/// Returns the bytes that `root` gives for this rank.
byte_array scatterv(const onehop::context& c, const std::vector<contiguous_memory>& blocks,
                    int root) {
  return owned_array<byte_array>(
      without_gil([&] { return onehop::scatterv<std::byte>(c, spans_of(blocks), root); }));
}

/// Returns pairs of an origin and an array of the bytes that came from it.
nb::list sparse_exchange(const onehop::context& c, const std::vector<int>& destinations,
                         const std::vector<contiguous_memory>& blocks) {
  auto received = without_gil(
      [&] { return onehop::sparse_exchange<std::byte>(c, destinations, spans_of(blocks)); });
  nb::list pairs;
  for (auto& [origin, came] : received)
    pairs.append(nb::make_tuple(origin, owned_array<byte_array>(std::move(came))));
  return pairs;
}

void bind_blocks_of_ranks(nb::module_& m) {
  m.def(
      "agree",
      [](const onehop::context& c, const std::string& call,
         const std::vector<std::string>& values) { onehop::agree(c, call, values); },
      "context"_a, "call"_a, "values"_a, release_gil(),
      "Raises UsageError on every rank if any rank gives another value than rank 0. Collective.");
  m.def("barrier", &onehop::barrier, "context"_a, release_gil(),
        "Waits until every rank has entered; stores made before the barrier are visible after it. "
        "Collective. Raises TimeoutError if a rank does not come, PeerError if one has failed.\n\n"
        ">>> onehop.barrier(job)");
  m.def("broadcast", &onehop::broadcast, "context"_a, "data"_a.noconvert(), "root"_a = 0,
        release_gil(), "Copies the bytes of `root` to every rank, in place.");
  m.def(
      "allgather",
      [](const onehop::context& c, constant_bytes mine, bytes all) {
        onehop::allgather(c, mine, all);
      },
      "context"_a, "mine"_a, "all"_a.noconvert(), release_gil(),
      "Gathers contributions of equal size on every rank, in rank order.");
  m.def("gather", &onehop::gather, "context"_a, "mine"_a, "all"_a.noconvert(), "root"_a,
        release_gil(), "Gathers contributions of equal size in rank order, on `root` only.");
  m.def("scatter", &onehop::scatter, "context"_a, "all"_a, "mine"_a.noconvert(), "root"_a,
        release_gil(), "Scatters `all` of `root`: its block r becomes `mine` of rank r.");
  m.def("alltoallv", &alltoallv, "context"_a, "blocks"_a,
        "Sends block r to rank r; returns the bytes that came from each rank.");
  m.def(
      "gatherv", &gatherv, "context"_a, "mine"_a, "root"_a,
      "Gathers the bytes of every rank, of any number, on `root`; returns no list on other ranks.");
  m.def("scatterv", &scatterv, "context"_a, "blocks"_a, "root"_a,
        "Sends block r of `root`, of any size, to rank r, which returns it.");
  m.def("sparse_exchange", &sparse_exchange, "context"_a, "destinations"_a, "blocks"_a,
        "Sends block i to rank destinations[i]; returns pairs of an origin and the bytes that came "
        "from it.");
  using onehop::alltoall;
  nb::class_<alltoall>(m, "Alltoall",
                       "Sends a block of every rank to every rank; declared once, run repeatedly.")
      .def(
          "__init__",
          [](alltoall* self, const onehop::context& c, std::size_t block_bytes,
             const std::string& schedule) {
            new (self) alltoall(c, block_bytes, onehop::alltoall_schedule_named(schedule));
          },
          "context"_a, "block_bytes"_a, "schedule"_a = "pairwise", release_gil())
      .def("run", &alltoall::run, "send"_a, "receive"_a.noconvert(), release_gil(),
           "Sends block r of `send` to rank r, and receives block r of `receive` from it.")
      .def_prop_ro("block_bytes", &alltoall::block_bytes);
}

void bind_persistent(nb::module_& m) {
  using onehop::persistent_collective;
  nb::class_<persistent_collective>(
      m, "PersistentCollective",
      "A collective that can be started and waited for repeatedly; the caller keeps the memory.")
      .def("start", &persistent_collective::start, release_gil())
      .def("wait", &persistent_collective::wait, release_gil())
      .def("test", &persistent_collective::test, release_gil());
  const char* const in_place = "Works in place.";
  bind_in_place<persistent_collective>(m, "persistent_allreduce", &onehop::persistent_allreduce,
                                       in_place);
  bind_at_root<persistent_collective>(m, "persistent_reduce", &onehop::persistent_reduce, in_place);
  bind_in_place<persistent_collective>(m, "persistent_scan", &onehop::persistent_scan, in_place);
  bind_in_place<persistent_collective>(m, "persistent_exclusive_scan",
                                       &onehop::persistent_exclusive_scan, in_place);
  bind_scattering<persistent_collective>(
      m, "persistent_reduce_scatter", &onehop::persistent_reduce_scatter,
      "Combines `all` of all ranks; block r of the result becomes `mine` of rank r.");
  m.def("persistent_gather", &onehop::persistent_gather, "context"_a, "mine"_a.noconvert(),
        "all"_a.noconvert(), "root"_a, release_gil());
  m.def("persistent_scatter", &onehop::persistent_scatter, "context"_a, "all"_a.noconvert(),
        "mine"_a.noconvert(), "root"_a, release_gil());
  m.def("persistent_broadcast", &onehop::persistent_broadcast, "context"_a, "data"_a.noconvert(),
        "root"_a, release_gil(), in_place);
  m.def("persistent_allgather", &onehop::persistent_allgather, "context"_a, "all"_a.noconvert(),
        release_gil(), "Gathers in place: rank r provides block r of `all`.");
  m.def("persistent_alltoall", &onehop::persistent_alltoall, "context"_a, "send"_a.noconvert(),
        "receive"_a.noconvert(), release_gil());
}

/// Arrays that were copied for the call would not outlive it, so lists of them are not converted.
void bind_persistent_lists(nb::module_& m) {
  using onehop::context;
  using read_list = std::vector<contiguous_memory>;
  using written_list = std::vector<writable_memory>;
  m.def(
      "persistent_alltoallv",
      [](const context& c, const read_list& send, const written_list& receive) {
        return without_gil(
            [&] { return onehop::persistent_alltoallv(c, spans_of(send), spans_of(receive)); });
      },
      "context"_a, "send"_a.noconvert(), "receive"_a.noconvert());
  m.def(
      "persistent_allgatherv",
      [](const context& c, constant_bytes mine, const written_list& all) {
        return without_gil([&] { return onehop::persistent_allgatherv(c, mine, spans_of(all)); });
      },
      "context"_a, "mine"_a.noconvert(), "all"_a.noconvert());
  m.def(
      "persistent_gatherv",
      [](const context& c, constant_bytes mine, const written_list& all, int root) {
        return without_gil(
            [&] { return onehop::persistent_gatherv(c, mine, spans_of(all), root); });
      },
      "context"_a, "mine"_a.noconvert(), "all"_a.noconvert(), "root"_a);
  m.def(
      "persistent_scatterv",
      [](const context& c, const read_list& all, bytes mine, int root) {
        return without_gil(
            [&] { return onehop::persistent_scatterv(c, spans_of(all), mine, root); });
      },
      "context"_a, "all"_a.noconvert(), "mine"_a.noconvert(), "root"_a);
}

void bind_stream_of_collectives(nb::module_& m) {
  m.def(
      "set_collective_stream",
      [](const onehop::context& c, std::uintptr_t stream) {
        onehop::set_collective_stream(c, reinterpret_cast<void*>(stream));
      },
      "context"_a, "stream"_a,
      "Names the stream that uses the device memory passed to collectives.");
  m.def(
      "collective_stream",
      [](const onehop::context& c) -> std::optional<std::uintptr_t> {
        const std::optional<void*> stream = onehop::collective_stream(c);
        if (!stream) return std::nullopt;
        return reinterpret_cast<std::uintptr_t>(*stream);
      },
      "context"_a, "Returns the stream, or None if none was named.");
}

std::string broadcast_text(const onehop::context& ctx, std::string text) {
  std::uint64_t length = text.size();
  onehop::broadcast(ctx, std::as_writable_bytes(std::span(&length, 1)));
  text.resize(length);
  onehop::broadcast(ctx, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace

void bind_collectives(nb::module_& m) {
  m.def("broadcast_text", &broadcast_text, "context"_a, "text"_a, release_gil(),
        "Returns rank 0's text on every rank; collective.");
  bind_reductions(m);
  bind_blocks_of_ranks(m);
  bind_persistent(m);
  bind_persistent_lists(m);
  bind_stream_of_collectives(m);
}
