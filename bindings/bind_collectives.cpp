#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <onehop/alltoall.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/persistent_collective.hpp>

#include "bind.hpp"
#include "owned_array.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using doubles = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using writable_memory = nb::ndarray<nb::c_contig, nb::device::cpu>;
using contiguous_memory = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

std::span<const std::byte> bytes_of(const contiguous_memory& memory) {
  return {static_cast<const std::byte*>(memory.data()), memory.nbytes()};
}
std::span<std::byte> bytes_of(const writable_memory& memory) {
  return {static_cast<std::byte*>(memory.data()), memory.nbytes()};
}
std::span<double> span_of(doubles& values) { return {values.data(), values.size()}; }

/// Returns the combiner of a type and an operation that onehop.collectives names; it has refused
/// any other.
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

/// Wraps a collective, or what makes one, so that it takes its values from an array of Python's, in
/// place.
template <class Call>
auto in_place(Call call) {
  return [call](const onehop::context& c, const writable_memory& values, const std::string& type,
                const std::string& operation, int root) {
    const onehop::combiner combine = combiner_named(type, operation);
    const nb::gil_scoped_release released;
    return call(c, bytes_of(values), combine, root);
  };
}

void bind_reductions(nb::module_& m) {
  using onehop::combiner, onehop::context;
  using bytes = std::span<std::byte>;
  m.def(
      "allreduce_sum",
      [](const context& c, doubles values, bool fast_order) {
        const nb::gil_scoped_release released;
        onehop::allreduce_sum(c, span_of(values),
                              fast_order ? onehop::sum_order::fast : onehop::sum_order::fixed);
      },
      "context"_a, "values"_a.noconvert(), "fast_order"_a = false,
      "Sums in place, in rank order: the same bits on all ranks; or in the transport's own order.");
  m.def(
      "allreduce_max",
      [](const context& c, doubles values) {
        const nb::gil_scoped_release released;
        onehop::allreduce_max(c, span_of(values));
      },
      "context"_a, "values"_a.noconvert());
  const auto bind = [&m](const char* name, auto call, const char* doc) {
    m.def(name, in_place(call), "context"_a, "values"_a.noconvert(), "type"_a, "operation"_a,
          "root"_a = 0, doc);
  };
  bind(
      "allreduce",
      [](const context& c, bytes v, const combiner& how, int) { onehop::allreduce(c, v, how); },
      "Every rank's values combined in rank order, in place.");
  bind(
      "reduce",
      [](const context& c, bytes v, const combiner& how, int root) {
        onehop::reduce(c, v, how, root);
      },
      "The same for `root` alone.");
  bind(
      "scan", [](const context& c, bytes v, const combiner& how, int) { onehop::scan(c, v, how); },
      "What the ranks from 0 to this one give, combined, in place.");
  bind(
      "exclusive_scan",
      [](const context& c, bytes v, const combiner& how, int) {
        onehop::exclusive_scan(c, v, how);
      },
      "The same without this rank's own.");
  m.def(
      "reduce_scatter",
      [](const context& c, const contiguous_memory& all, const writable_memory& mine,
         const std::string& type, const std::string& operation) {
        const combiner combine = combiner_named(type, operation);
        const nb::gil_scoped_release released;
        onehop::reduce_scatter(c, bytes_of(all), bytes_of(mine), combine);
      },
      "context"_a, "all"_a, "mine"_a.noconvert(), "type"_a, "operation"_a,
      "Block r of all ranks' arrays, combined, becomes `mine` of rank r.");
}

using byte_array = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

using spans = std::vector<std::span<const std::byte>>;

spans spans_of(const std::vector<contiguous_memory>& blocks) {
  spans all;
  for (const contiguous_memory& block : blocks) all.push_back(bytes_of(block));
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

/// Returns arrays of bytes from each rank on `root`, and none elsewhere.
nb::list gatherv(const onehop::context& c, const contiguous_memory& mine, int root) {
  return arrays_of(
      without_gil([&] { return onehop::gatherv<std::byte>(c, bytes_of(mine), root); }));
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
  for (auto& [origin, bytes] : received)
    pairs.append(nb::make_tuple(origin, owned_array<byte_array>(std::move(bytes))));
  return pairs;
}

void bind_blocks_of_ranks(nb::module_& m) {
  m.def(
      "agree",
      [](const onehop::context& c, const std::string& call,
         const std::vector<std::string>& values) { onehop::agree(c, call, values); },
      "context"_a, "call"_a, "values"_a, release_gil(),
      "Raises UsageError on every rank where one gives another value than rank 0. Collective.");
  m.def("barrier", &onehop::barrier, "context"_a, release_gil(),
        "Returns when every rank has entered; stores made before the barrier are visible after "
        "it. Collective. Raises TimeoutError where a rank does not come, PeerError where one has "
        "failed.\n\n"
        ">>> onehop.barrier(job)");
  m.def(
      "broadcast",
      [](const onehop::context& c, const writable_memory& data, int root) {
        const nb::gil_scoped_release released;
        onehop::broadcast(c, bytes_of(data), root);
      },
      "context"_a, "data"_a.noconvert(), "root"_a = 0, "Bytes of `root` to every rank, in place.");
  m.def(
      "allgather",
      [](const onehop::context& c, const contiguous_memory& mine, const writable_memory& all) {
        const nb::gil_scoped_release released;
        onehop::allgather(c, bytes_of(mine), bytes_of(all));
      },
      "context"_a, "mine"_a, "all"_a.noconvert(), "Contributions of equal size, in rank order.");
  m.def(
      "gather",
      [](const onehop::context& c, const contiguous_memory& mine, const writable_memory& all,
         int root) {
        const nb::gil_scoped_release released;
        onehop::gather(c, bytes_of(mine), bytes_of(all), root);
      },
      "context"_a, "mine"_a, "all"_a.noconvert(), "root"_a, "The same to `root` alone.");
  m.def(
      "scatter",
      [](const onehop::context& c, const contiguous_memory& all, const writable_memory& mine,
         int root) {
        const nb::gil_scoped_release released;
        onehop::scatter(c, bytes_of(all), bytes_of(mine), root);
      },
      "context"_a, "all"_a, "mine"_a.noconvert(), "root"_a,
      "Block r of what `root` has becomes `mine` of rank r.");
  m.def("alltoallv", &alltoallv, "context"_a, "blocks"_a,
        "Block r goes to rank r; the bytes that came from each rank.");
  m.def("gatherv", &gatherv, "context"_a, "mine"_a, "root"_a,
        "The bytes of every rank, of any number, on `root`; no list elsewhere.");
  m.def("scatterv", &scatterv, "context"_a, "blocks"_a, "root"_a,
        "Block r of what `root` has, of any size, on rank r.");
  m.def(
      "sparse_exchange", &sparse_exchange, "context"_a, "destinations"_a, "blocks"_a,
      "Block i goes to rank destinations[i]; pairs of an origin and the bytes that came from it.");
  using onehop::alltoall;
  nb::class_<alltoall>(m, "Alltoall", "A block of every rank to every rank, declared once.")
      .def(
          "__init__",
          [](alltoall* self, const onehop::context& c, std::size_t block_bytes,
             const std::string& schedule) {
            const nb::gil_scoped_release released;
            new (self) alltoall(c, block_bytes, onehop::alltoall_schedule_named(schedule));
          },
          "context"_a, "block_bytes"_a, "schedule"_a = "pairwise")
      .def(
          "run",
          [](alltoall& self, const contiguous_memory& send, const writable_memory& receive) {
            const nb::gil_scoped_release released;
            self.run(bytes_of(send), bytes_of(receive));
          },
          "send"_a, "receive"_a.noconvert(),
          "Block r of `send` goes to rank r; block r of `receive` comes from it.")
      .def_prop_ro("block_bytes", &alltoall::block_bytes);
}

void bind_persistent(nb::module_& m) {
  using onehop::combiner, onehop::context, onehop::persistent_collective;
  nb::class_<persistent_collective>(m, "PersistentCollective",
                                    "Is started and waited for; the caller keeps the memory.")
      .def("start", &persistent_collective::start, release_gil())
      .def("wait", &persistent_collective::wait, release_gil())
      .def("test", &persistent_collective::test, release_gil());
  const auto reducing = [&m](const char* name, auto make) {
    m.def(name, in_place(make), "context"_a, "values"_a.noconvert(), "type"_a, "operation"_a,
          "root"_a = 0, "In place.");
  };
  using bytes = std::span<std::byte>;
  reducing("persistent_allreduce", [](const context& c, bytes v, const combiner& how, int) {
    return onehop::persistent_allreduce(c, v, how);
  });
  reducing("persistent_reduce", [](const context& c, bytes v, const combiner& how, int root) {
    return onehop::persistent_reduce(c, v, how, root);
  });
  reducing("persistent_scan", [](const context& c, bytes v, const combiner& how, int) {
    return onehop::persistent_scan(c, v, how);
  });
  reducing("persistent_exclusive_scan", [](const context& c, bytes v, const combiner& how, int) {
    return onehop::persistent_exclusive_scan(c, v, how);
  });
  m.def(
      "persistent_gather",
      [](const context& c, const contiguous_memory& mine, const writable_memory& all, int root) {
        const nb::gil_scoped_release released;
        return onehop::persistent_gather(c, bytes_of(mine), bytes_of(all), root);
      },
      "context"_a, "mine"_a.noconvert(), "all"_a.noconvert(), "root"_a);
  m.def(
      "persistent_scatter",
      [](const context& c, const contiguous_memory& all, const writable_memory& mine, int root) {
        const nb::gil_scoped_release released;
        return onehop::persistent_scatter(c, bytes_of(all), bytes_of(mine), root);
      },
      "context"_a, "all"_a.noconvert(), "mine"_a.noconvert(), "root"_a);
  m.def(
      "persistent_broadcast",
      [](const context& c, const writable_memory& data, int root) {
        const nb::gil_scoped_release released;
        return onehop::persistent_broadcast(c, bytes_of(data), root);
      },
      "context"_a, "data"_a.noconvert(), "root"_a, "In place.");
  m.def(
      "persistent_allgather",
      [](const context& c, const writable_memory& all) {
        const nb::gil_scoped_release released;
        return onehop::persistent_allgather(c, bytes_of(all));
      },
      "context"_a, "all"_a.noconvert(), "In place: block r of `all` is what rank r gives.");
  m.def(
      "persistent_alltoall",
      [](const context& c, const writable_memory& send, const writable_memory& receive) {
        const nb::gil_scoped_release released;
        return onehop::persistent_alltoall(c, bytes_of(send), bytes_of(receive));
      },
      "context"_a, "send"_a.noconvert(), "receive"_a.noconvert());
  m.def(
      "persistent_reduce_scatter",
      [](const context& c, const writable_memory& all, const writable_memory& mine,
         const std::string& type, const std::string& operation) {
        const onehop::combiner combine = combiner_named(type, operation);
        const nb::gil_scoped_release released;
        return onehop::persistent_reduce_scatter(c, bytes_of(all), bytes_of(mine), combine);
      },
      "context"_a, "all"_a.noconvert(), "mine"_a.noconvert(), "type"_a, "operation"_a);
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
        "Rank 0's text on every rank; collective.");
  bind_reductions(m);
  bind_blocks_of_ranks(m);
  bind_persistent(m);
}
