#include "bind.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <onehop/communicator.hpp>
#include <onehop/error.hpp>
#include <onehop/put_chain.hpp>
#include <onehop/trace.hpp>

#include "base/text.hpp"
#include "span_caster.hpp"
#include "trace_events.hpp"
#include "transport/base/transport.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using any_memory = nb::ndarray<nb::ro, nb::device::cpu>;
using byte_view = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;
using byte_view_ro = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>;

byte_view writable(std::span<std::byte> bytes, nb::handle owner) {
  return {reinterpret_cast<std::uint8_t*>(bytes.data()), {bytes.size()}, owner};
}

byte_view_ro readable(std::span<const std::byte> bytes, nb::handle owner) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), {bytes.size()}, owner};
}

std::optional<onehop::context> split(const onehop::context& ctx, nb::handle color, int key) {
  std::optional<int> number;
  if (!nb::try_cast(color, number))
    throw onehop::usage_error(std::string("the colour of a group is of type ") +
                              nb::type_name(color.type()).c_str() +
                              ": give a whole number, or None");
  const nb::gil_scoped_release released;
  return ctx.split(number, key);
}

void bind_context(nb::module_& m) {
  nb::class_<onehop::context>(
      m, "Context", nb::is_weak_referenceable(),
      "A rank's membership of its job, which `join` returns and all collectives take.\n\n"
      ">>> job.rank, job.size, job.transport\n"
      "(0, 1, 'self')\n"
      ">>> even = job.split(color=job.rank % 2)    # a job of its own\n"
      ">>> even.size\n"
      "1")
      .def_prop_ro("rank", &onehop::context::rank)
      .def_prop_ro("size", &onehop::context::size)
      .def("__repr__",
           [](const onehop::context& c) {
             return onehop::text("<Context rank ", c.rank(), " of ", c.size(), ", transport ",
                                 c.transport(), ">");
           })
      .def_prop_ro("transport", [](const onehop::context& c) { return std::string(c.transport()); })
      .def_prop_rw(
          "deadline_s",
          [](const onehop::context& c) {
            return std::chrono::duration<double>(c.deadline()).count();
          },
          [](const onehop::context& c, double seconds) {
            // The comparison is written so that a value that is not a number is refused.
            if (!(seconds >= 1e-3 && seconds <= 1e6))
              throw onehop::usage_error("a deadline must be between 0.001 and 1000000 seconds");
            c.set_deadline(std::chrono::duration_cast<std::chrono::nanoseconds>(
                std::chrono::duration<double>(seconds)));
          },
          "Longest time that any wait may last, in seconds.")
      .def_prop_ro(
          "channels", [](const onehop::context& c) { return onehop::channels_of(c); },
          "Says how puts of each size travel, in the notation of ONEHOP_CHANNELS; empty if nothing "
          "was chosen.")
      .def_prop_ro(
          "channels_why", [](const onehop::context& c) { return onehop::channels_why(c); },
          "Says who or what chose the channels.")
      .def_prop_ro(
          "now_ns",
          [](const onehop::context& c) {
            return std::int64_t{std::chrono::nanoseconds(c.now().time_since_epoch()).count()};
          },
          "Time of the transport in nanoseconds, by the steady clock or the clock of a virtual "
          "machine.")
      .def(
          "work",
          [](const onehop::context& c, double flops, double bytes, int launches, double seconds) {
            c.work({.flops = flops, .bytes = bytes, .launches = launches, .seconds = seconds});
          },
          nb::kw_only(), "flops"_a = 0.0, "bytes"_a = 0.0, "launches"_a = 1, "seconds"_a = 0.0,
          release_gil(),
          "Tells the transport that this rank does work of this cost outside onehop. On a virtual "
          "machine, time advances by what its host takes for it, or its GPU if memory lies in "
          "devices, plus `seconds`; elsewhere the time has already passed.")
      .def("split", &split, "color"_a.none(), "key"_a = 0,
           nb::sig("def split(self, color: int | None, key: int = 0) -> Context | None"),
           "Returns a job of the ranks that give the same colour, numbered by key and then by "
           "rank; None for a rank whose colour is None or negative. Collective.")
      .def(
          "rank_in_job",
          [](const onehop::context& c, std::optional<int> rank) {
            return c.rank_in_job(rank.value_or(c.rank()));
          },
          "rank"_a = nb::none(),
          "Returns the number of this rank, or of another rank of this context, in the job that "
          "was joined.")
      .def_prop_ro(
          "is_group", [](const onehop::context& c) { return onehop::transport_of(c).is_part(); },
          "True if this context was made by splitting another one.")
      .def("abandon", &onehop::context::abandon, "reason"_a,
           "Tells every other rank that this one gives up.")
      .def_prop_ro("failed_first", &onehop::context::failed_first,
                   "After abandon: True if this rank should report the failure to the user.")
      .def(
          "start_trace",
          [](const onehop::context& c, std::size_t capacity) {
            c.set_trace(std::make_shared<onehop::trace>(capacity));
          },
          "capacity"_a = std::size_t{1} << 18U,
          "Starts recording starts, puts, waits, arrivals and collectives of this rank.")
      .def(
          "trace_events",
          [](const onehop::context& c) {
            return c.trace() ? tuples_of(*c.trace()) : std::vector<event_tuple>();
          },
          "Returns what was recorded: (name, begin_ns, end_ns, exchange, peer, chain, arrival), in "
          "times of the steady clock or in virtual time.")
      .def_prop_ro(
          "trace_dropped",
          [](const onehop::context& c) { return c.trace() ? c.trace()->dropped() : 0; },
          "Number of events that did not fit.");
  m.def(
      "timeline",
      [](int rank, const std::vector<event_tuple>& events) {
        return onehop::timeline(rank, events_of(events));
      },
      "rank"_a, "events"_a,
      "Formats events of a rank, as trace_events returns them, as lines of the Chrome trace "
      "format.");
  m.def("join", &onehop::join, "transport"_a = "auto", release_gil(),
        "Joins the job for which this process was started, or a job of one rank.");
  m.def("join_communicator", &onehop::join_communicator, "fortran_handle"_a, "transport"_a = "auto",
        release_gil(),
        "Makes a job of the ranks of an MPI communicator, given by its Fortran handle.");
}

[[noreturn]] void refuse_device(const char* call) {
  throw onehop::usage_error(
      std::string(call) +
      " of a window in a device's memory, which the host cannot read: look at "
      "the array that was registered");
}

void bind_window(nb::module_& m) {
  nb::class_<onehop::window>(m, "Window", "Memory that a rank exposes to the puts of other ranks.")
      .def_static("allocate", &onehop::window::allocate, "context"_a, "bytes"_a, "banks"_a = 2,
                  release_gil())
      .def_static("register_existing", &onehop::window::register_existing, "context"_a,
                  "memory"_a.noconvert(), nb::keep_alive<0, 2>(), release_gil(),
                  "Exposes existing memory, which must be contiguous and writable.")
      .def_static(
          "register_address",
          [](const onehop::context& c, std::uintptr_t address, std::size_t bytes) {
            return onehop::window::register_existing(
                c, {reinterpret_cast<std::byte*>(address), bytes});
          },
          "context"_a, "address"_a, "bytes"_a, release_gil(),
          "Exposes host or device memory, which the caller must keep as long as the window and its "
          "chains.")
      .def("bytes", &onehop::window::bytes, "rank"_a)
      .def_prop_ro("on_device", &onehop::window::on_device,
                   "True if this rank's memory belongs to a device.")
      .def_prop_ro("banks", &onehop::window::banks)
      .def(
          "local",
          [](nb::handle_t<onehop::window> self, int bank) {
            const auto& window = nb::cast<onehop::window&>(self);
            if (window.on_device()) refuse_device("local");
            return writable(window.local(bank), self);
          },
          "bank"_a = 0, "Returns this rank's bytes of one bank, without a copy.");
}

/// Binds a name that a chain returned. It is opaque, so that callers do not compute with it.
template <class Name>
void bind_name(nb::module_& m, const char* name, const char* doc) {
  nb::class_<Name>(m, name, doc)
      .def_ro("index", &Name::index, "Index among the puts or arrivals of the chain.")
      .def("__repr__", [name](const Name& self) {
        return "<" + std::string(name) + " " + std::to_string(self.index) + " of put chain " +
               std::to_string(self.of.chain) + " of rank " + std::to_string(self.of.rank) + ">";
      });
}

/// Run bytes, counts and strides of put::remote, and put::remote_starts.
using remote_runs = std::tuple<std::size_t, std::array<std::size_t, 3>,
                               std::array<std::ptrdiff_t, 3>, std::vector<std::size_t>>;

onehop::put_slot push_laid_out(onehop::put_chain& chain, onehop::put description,
                               const std::optional<remote_runs>& remote) {
  if (!remote) return chain.push(description);
  const auto& [run_bytes, counts, strides_bytes, starts] = *remote;
  description.remote = {run_bytes, counts, strides_bytes};
  description.remote_starts = starts;
  return chain.push(description);
}

/// The Python class keeps the source until the chain is cleared.
onehop::put_slot push(onehop::put_chain& chain, const any_memory& source, std::size_t block_bytes,
                      std::size_t blocks, std::ptrdiff_t stride_bytes, int target,
                      std::size_t remote_offset, bool variable,
                      const std::optional<remote_runs>& remote) {
  const onehop::local_view view{static_cast<const std::byte*>(source.data()), block_bytes, blocks,
                                stride_bytes};
  return push_laid_out(chain, {view, target, remote_offset, variable}, remote);
}

void bind_chain_description(nb::class_<onehop::put_chain>& chain) {
  chain.def(nb::init<const onehop::context&, const onehop::window&>(), "context"_a, "window"_a)
      .def("push", &push, "source"_a, "block_bytes"_a, "blocks"_a, "stride_bytes"_a, "target"_a,
           "remote_offset"_a, "variable"_a = false, "remote"_a = nb::none())
      .def(
          "push_packed",
          [](onehop::put_chain& c, std::size_t bytes, int target, std::size_t remote_offset,
             bool variable, const std::optional<remote_runs>& remote) {
            onehop::put description = onehop::put::packed(bytes, target, remote_offset);
            description.variable = variable;
            return push_laid_out(c, description, remote);
          },
          "bytes"_a, "target"_a, "remote_offset"_a, "variable"_a = false, "remote"_a = nb::none())
      .def("set_bytes", &onehop::put_chain::set_bytes, "slot"_a, "bytes"_a,
           "Sets how many bytes a put of variable size sends in the coming starts.")
      .def(
          "push_address",
          [](onehop::put_chain& c, std::uintptr_t address, std::size_t block_bytes,
             std::size_t blocks, std::ptrdiff_t stride_bytes, int target, std::size_t remote_offset,
             bool variable) {
            const auto* const data = reinterpret_cast<const std::byte*>(address);
            return c.push(
                {{data, block_bytes, blocks, stride_bytes}, target, remote_offset, variable});
          },
          "address"_a, "block_bytes"_a, "blocks"_a, "stride_bytes"_a, "target"_a, "remote_offset"_a,
          "variable"_a = false,
          "Adds a put whose source is host or device memory, which the caller must keep as long as "
          "the chain.")
      .def(
          "set_stream",
          [](onehop::put_chain& c, std::uintptr_t stream) {
            c.set_stream(reinterpret_cast<void*>(stream));
          },
          "stream"_a,
          "Names the stream of the device that uses the memory; 0 is the device's default stream.")
      .def("take_turns", &onehop::put_chain::take_turns)
      .def("wait_on_stream", &onehop::put_chain::wait_on_stream)
      .def_prop_ro("waits_on_stream", &onehop::put_chain::waits_on_stream)
      .def("add_origin", &onehop::put_chain::add_origin, "rank"_a)
      .def("commit", &onehop::put_chain::commit, release_gil())
      .def("clear", &onehop::put_chain::clear, release_gil())
      .def("describe", &onehop::put_chain::describe);
}

void bind_chain_exchange(nb::class_<onehop::put_chain>& chain) {
  chain.def("start", &onehop::put_chain::start, release_gil())
      .def("start_partial", &onehop::put_chain::start_partial, release_gil())
      .def("ready", &onehop::put_chain::ready, "slot"_a, release_gil())
      .def("synchronise", &onehop::put_chain::synchronise, release_gil())
      .def("wait", nb::overload_cast<>(&onehop::put_chain::wait), release_gil())
      .def("wait", nb::overload_cast<onehop::notification>(&onehop::put_chain::wait), "arrival"_a,
           release_gil())
      .def(
          "wait_any",
          [](onehop::put_chain& c, const std::vector<onehop::notification>& arrivals) {
            return c.wait_any(arrivals);
          },
          "arrivals"_a, release_gil(),
          "Waits until one of these arrivals is visible, and returns its index among them.")
      .def(
          "wait_some",
          [](onehop::put_chain& c, std::vector<onehop::notification> arrivals) {
            const std::size_t count = c.wait_some(arrivals);
            arrivals.resize(count);
            return arrivals;
          },
          "arrivals"_a, release_gil(),
          "Waits until at least one of these arrivals is visible, and returns the visible ones in "
          "their order.")
      .def("test", nb::overload_cast<>(&onehop::put_chain::test))
      .def("test", nb::overload_cast<onehop::notification>(&onehop::put_chain::test), "arrival"_a)
      .def("source_free", &onehop::put_chain::source_free, "slot"_a)
      .def("direct", &onehop::put_chain::direct, "slot"_a)
      .def("streaming", &onehop::put_chain::streaming, "slot"_a)
      .def(
          "target_view",
          [](nb::handle_t<onehop::put_chain> self, onehop::put_slot slot) {
            return writable(nb::cast<onehop::put_chain&>(self).target_view(slot), self);
          },
          "slot"_a)
      .def(
          "arrived",
          [](nb::handle_t<onehop::put_chain> self, onehop::notification arrival) {
            const auto& chain = nb::cast<onehop::put_chain&>(self);
            if (chain.arrives_on_device()) refuse_device("arrived");
            return readable(chain.arrived(arrival), self);
          },
          "arrival"_a);
}

}  // namespace

void bind_rma(nb::module_& m) {
  bind_context(m);
  bind_window(m);
  bind_name<onehop::put_slot>(m, "PutSlot", "Names one outgoing put of a chain.");
  bind_name<onehop::notification>(m, "Notification", "Names one arrival of a chain.");
  nb::class_<onehop::put_chain> chain(
      m, "PutChain", "A halo exchange that is described once and fired with one start.");
  bind_chain_description(chain);
  bind_chain_exchange(chain);
}
