#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "bind_record.hpp"
#include "netsim/machine/link_table.hpp"
#include "netsim/machine/machine_description.hpp"
#include "owned_array.hpp"

namespace nb = nanobind;
using namespace onehop::netsim;

namespace {

void bind_stages(nb::module_& m) {
  using f = software_step;
  bind_table<f>(m, "SoftwareStep", "Work of a CPU for each message; times in ps, rate in bytes/s.",
                record_field{"cost", &f::per_message}, record_field{"per_chain", &f::per_chain},
                record_field{"per_piece", &f::per_piece}, record_field{"rate", &f::rate});
  using c = copy_engine;
  bind_table<c>(m, "CopyEngine", "A copy for each message, store and forward.",
                record_field{"setup", &c::setup}, record_field{"per_piece", &c::per_piece},
                record_field{"rate", &c::rate});
  using g = gpu_kernel;
  bind_table<g>(m, "GpuKernel", "A kernel that moves the message once.",
                record_field{"launch", &g::launch}, record_field{"rate", &g::rate});
  using e = event_queue_entry;
  bind_table<e>(m, "EventQueueEntry", "A delay that occupies no server.",
                record_field{"write", &e::write}, record_field{"poll", &e::poll});
  using d = dma_engine;
  bind_record<d>(m, "DmaEngine", "Reads or writes memory packet by packet.",
                 record_field{"channels", &d::channels}, record_field{"gap", &d::gap},
                 record_field{"latency", &d::latency}, record_field{"per_piece", &d::per_piece},
                 record_field{"rate", &d::rate}, record_field{"window_bytes", &d::window_bytes},
                 record_field{"drains", &d::drains});
  using t = translation;
  bind_record<t>(m, "Translation", "Translation of virtual to physical addresses for each packet.",
                 record_field{"hit", &t::hit}, record_field{"miss", &t::miss},
                 record_field{"entries", &t::entries}, record_field{"page_bytes", &t::page_bytes},
                 record_field{"rate", &t::rate});
  using p = bus_port;
  bind_record<p>(m, "BusPort", "A bus that cuts packets into smaller ones.",
                 record_field{"latency", &p::latency}, record_field{"rate", &p::rate},
                 record_field{"payload_bytes", &p::payload_bytes},
                 record_field{"overhead_bytes", &p::overhead_bytes});
  using s = stage;
  bind_record<s>(m, "Stage", "A named model; stages of one unit share a server in each node.",
                 record_field{"name", &s::name}, record_field{"unit", &s::unit},
                 record_field{"model", &s::model});
}

void bind_fabric(nb::module_& m) {
  nb::enum_<topology_kind>(m, "TopologyKind")
      .value("torus", topology_kind::torus)
      .value("coupled_rings", topology_kind::coupled_rings)
      .value("fat_tree", topology_kind::fat_tree)
      .value("all_to_all", topology_kind::all_to_all)
      .value("mesh", topology_kind::mesh)
      .value("dragonfly", topology_kind::dragonfly)
      .value("dragonfly_plus", topology_kind::dragonfly_plus)
      .value("hyperx", topology_kind::hyperx)
      .value("graph", topology_kind::graph);
  nb::enum_<routing>(m, "Routing")
      .value("minimal", routing::minimal)
      .value("valiant", routing::valiant)
      .value("ugal", routing::ugal)
      .value("adaptive", routing::adaptive);
  nb::enum_<global_order>(m, "GlobalOrder")
      .value("palmtree", global_order::palmtree)
      .value("absolute", global_order::absolute);
  using g = switch_groups;
  bind_record<g>(m, "SwitchGroups", "Groups of switches of a dragonfly or dragonfly+.",
                 record_field{"leaves", &g::leaves}, record_field{"spines", &g::spines},
                 record_field{"global_ports", &g::global_ports}, record_field{"groups", &g::groups},
                 record_field{"order", &g::order});
  using s = switch_graph;
  bind_record<s>(m, "SwitchGraph",
                 "Switches, the cables between them, and the switch of each node.",
                 record_field{"switches", &s::switches}, record_field{"edges", &s::edges},
                 record_field{"host_switch", &s::host_switch});
  using l = tree_level;
  bind_record<l>(m, "TreeLevel", "Children of a switch, and links up from each of them.",
                 record_field{"down", &l::down}, record_field{"up", &l::up});
  using t = topology;
  bind_record<t>(m, "Topology", "The shape of a network.", record_field{"kind", &t::kind},
                 record_field{"extents", &t::extents}, record_field{"levels", &t::levels},
                 record_field{"rails", &t::rails}, record_field{"nodes", &t::nodes},
                 record_field{"how", &t::how}, record_field{"hosts", &t::hosts},
                 record_field{"grouped", &t::grouped},
                 record_field{"switch_extents", &t::switch_extents},
                 record_field{"cables", &t::cables}, record_field{"graph", &t::graph});
  m.def("channels_needed", &channels_needed, nb::arg("topology"),
        "Returns how many virtual channels the routing needs so that packets cannot deadlock; "
        "raises UsageError for a graph that is not connected.");
  using c = cable;
  bind_table<c>(
      m, "Cable", "A link: rate in bytes/s, times in ps.", record_field{"rate", &c::raw_rate},
      record_field{"efficiency", &c::efficiency}, record_field{"framing", &c::framing_bytes},
      record_field{"latency", &c::latency}, record_field{"credits", &c::credits},
      record_field{"channels", &c::virtual_channels},
      record_field{"bit_error_rate", &c::bit_error_rate}, record_field{"retry", &c::retry});
  using k = congestion_control;
  bind_table<k>(m, "CongestionControl",
                "Congestion control by ECN with DCQCN: bytes, times in ps, a rate in bytes/s.",
                record_field{"mark_least", &k::mark_least},
                record_field{"mark_most", &k::mark_most},
                record_field{"mark_share", &k::mark_share},
                record_field{"notify_interval", &k::notify_interval},
                record_field{"gain", &k::gain}, record_field{"estimate_timer", &k::estimate_timer},
                record_field{"increase_timer", &k::increase_timer},
                record_field{"increase_bytes", &k::increase_bytes},
                record_field{"recovery_steps", &k::recovery_steps},
                record_field{"increase_rate", &k::increase_rate});
  using n = fabric;
  bind_record<n>(m, "Fabric", "A network between the nodes.", record_field{"name", &n::name},
                 record_field{"shape", &n::shape}, record_field{"links", &n::links},
                 record_field{"packet_bytes", &n::packet_bytes},
                 record_field{"router_latency", &n::router_latency},
                 record_field{"transmit_packets", &n::transmit_packets},
                 record_field{"receive_packets", &n::receive_packets},
                 record_field{"control", &n::control});
}

void bind_paths(nb::module_& m) {
  nb::enum_<memory>(m, "Memory").value("host", memory::host).value("device", memory::device);
  nb::enum_<shape>(m, "SourceShape")
      .value("any", shape::any)
      .value("contiguous", shape::contiguous)
      .value("strided", shape::strided);
  using p = path;
  bind_record<p>(m, "Path", "Stages by number, in the order in which messages pass them.",
                 record_field{"name", &p::name}, record_field{"from_memory", &p::from},
                 record_field{"to_memory", &p::to}, record_field{"origin", &p::origin},
                 record_field{"target", &p::target}, record_field{"fabric", &p::fabric},
                 record_field{"local", &p::local}, record_field{"stripe_bytes", &p::stripe_bytes});
  using q = protocol;
  bind_record<q>(m, "Protocol", "How puts of some sizes are composed of messages.",
                 record_field{"name", &q::name}, record_field{"variant", &q::variant},
                 record_field{"from_memory", &q::from}, record_field{"to_memory", &q::to},
                 record_field{"least_bytes", &q::least_bytes},
                 record_field{"most_bytes", &q::most_bytes},
                 record_field{"block_bytes", &q::block_bytes}, record_field{"within", &q::within},
                 record_field{"of_node", &q::of_node}, record_field{"path", &q::path},
                 record_field{"grant", &q::grant}, record_field{"credit", &q::credit},
                 record_field{"request", &q::request}, record_field{"notice", &q::notice},
                 record_field{"rows", &q::rows});
}

void bind_software(nb::module_& m) {
  using c = collective_software;
  bind_record<c>(
      m, "CollectiveSoftware", "Schedules of collectives, and the time that software adds.",
      record_field{"variant", &c::variant}, record_field{"broadcast", &c::broadcast},
      record_field{"allgather", &c::allgather}, record_field{"allreduce", &c::allreduce},
      record_field{"alltoall", &c::alltoall}, record_field{"barrier", &c::barrier},
      record_field{"entry", &c::entry}, record_field{"step", &c::step},
      record_field{"reduce_rate", &c::reduce_rate}, record_field{"copy_out", &c::copy_out},
      record_field{"copy_in", &c::copy_in}, record_field{"short_out", &c::short_out},
      record_field{"short_in", &c::short_in}, record_field{"short_most", &c::short_most},
      record_field{"staging_variant", &c::staging_variant}, record_field{"of_host", &c::of_host},
      record_field{"is_staged", &c::is_staged}, record_field{"staging_block", &c::staging_block});
  using g = collective_algorithm;
  bind_record<g>(m, "CollectiveAlgorithm", "How a collective of some sizes is carried out.",
                 record_field{"name", &g::name}, record_field{"variant", &g::variant},
                 record_field{"operation", &g::operation}, record_field{"schedule", &g::schedule},
                 record_field{"of_host", &g::of_host}, record_field{"of_device", &g::of_device},
                 record_field{"most_bytes", &g::most_bytes}, record_field{"fan", &g::fan},
                 record_field{"segment_bytes", &g::segment_bytes},
                 record_field{"staging", &g::staging}, record_field{"copies_out", &g::copies_out},
                 record_field{"copy_out", &g::copy_out}, record_field{"copy_in", &g::copy_in},
                 record_field{"awaits_sources", &g::awaits_sources});
  using p = processor;
  bind_table<p>(m, "Processor", "Cost of kernels.", record_field{"launch", &p::launch},
                record_field{"wait", &p::wait}, record_field{"flops", &p::flops_per_second},
                record_field{"memory", &p::bytes_per_second});
}

nb::dict cables(const machine_description& machine) {
  const link_table table(machine);
  std::vector<std::int64_t> fabric, origin, target, axis;
  for (std::uint32_t index = 0; index < table.links.size(); ++index) {
    const auto& one = table.links[index];
    fabric.push_back(one.fabric);
    origin.push_back(table.from(index).router);
    target.push_back(one.to);
    axis.push_back(one.axis);
  }
  nb::dict all;
  all["fabric"] = to_column(std::move(fabric));
  all["origin"] = to_column(std::move(origin));
  all["target"] = to_column(std::move(target));
  all["axis"] = to_column(std::move(axis));
  return all;
}

void bind_machine_description(nb::module_& m) {
  using d = dead_link;
  bind_record<d>(m, "DeadLink", "A cable that is cut.", record_field{"fabric", &d::fabric},
                 record_field{"node", &d::node}, record_field{"port", &d::port});
  using s = slow_node;
  bind_record<s>(m, "SlowNode", "A node whose stages take longer.", record_field{"node", &s::node},
                 record_field{"factor", &s::factor});
  using a = machine_description;
  bind_record<a>(m, "MachineDescription", "A machine, as the virtual network needs it.",
                 record_field{"name", &a::name}, record_field{"nodes", &a::nodes},
                 record_field{"stages", &a::stages}, record_field{"fabrics", &a::fabrics},
                 record_field{"paths", &a::paths}, record_field{"protocols", &a::protocols},
                 record_field{"collectives", &a::collectives},
                 record_field{"algorithms", &a::algorithms}, record_field{"host", &a::host},
                 record_field{"gpu", &a::gpu}, record_field{"dead_links", &a::dead_links},
                 record_field{"slow_nodes", &a::slow_nodes}, record_field{"places", &a::places},
                 record_field{"seed", &a::seed}, record_field{"one_buffer", &a::one_buffer});
  auto type = nb::borrow<nb::class_<a>>(m.attr("MachineDescription"));
  type.def("check", &a::check, "Raises UsageError for anything that cannot be simulated.")
      .def("grid", &a::grid, "Returns the nodes along each axis of the first fabric, or [nodes].")
      .def("links", &cables,
           "Returns columns with one row for each direction of a cable, as in accounts, that say "
           "which routers it joins.");
}

}  // namespace

void bind_netsim(nb::module_& m) {
  bind_stages(m);
  bind_fabric(m);
  bind_paths(m);
  bind_software(m);
  bind_machine_description(m);
}
