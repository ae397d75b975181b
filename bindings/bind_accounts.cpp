#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <onehop/context.hpp>
#include <onehop/error.hpp>

#include "bind.hpp"
#include "netsim/engine/accounts.hpp"
#include "owned_array.hpp"
#include "transport/virtual/threads.hpp"
#include "transport/virtual/transport.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace onehop::netsim;

namespace {

template <class Member>
column column_of(const std::vector<link_account>& links, Member member) {
  std::vector<std::int64_t> values;
  values.reserve(links.size());
  for (const auto& one : links) values.push_back(static_cast<std::int64_t>(one.*member));
  return to_column(values);
}

nb::dict link_columns(const std::vector<link_account>& links) {
  nb::dict all;
  all["fabric"] = column_of(links, &link_account::fabric);
  all["origin"] = column_of(links, &link_account::from);
  all["target"] = column_of(links, &link_account::to);
  all["port"] = column_of(links, &link_account::port);
  all["axis"] = column_of(links, &link_account::axis);
  all["packets"] = column_of(links, &link_account::packets);
  all["busy_ps"] = column_of(links, &link_account::busy);
  all["waited_ps"] = column_of(links, &link_account::waited);
  all["deepest_queue"] = column_of(links, &link_account::deepest_queue);
  all["retransmissions"] = column_of(links, &link_account::retransmissions);
  return all;
}

void bind_network_accounts(nb::module_& m) {
  using a = run_account;
  nb::class_<a>(m, "RunAccount", "What a virtual network has done.")
      .def_ro("now_ps", &a::now)
      .def_ro("events", &a::events)
      .def_ro("packet_hops", &a::packet_hops)
      .def_ro("messages_posted", &a::messages_posted)
      .def_ro("messages_delivered", &a::messages_delivered)
      .def_ro("bytes_posted", &a::bytes_posted)
      .def_ro("bytes_delivered", &a::bytes_delivered)
      .def_ro("packets_made", &a::packets_made)
      .def_ro("packets_delivered", &a::packets_delivered)
      .def_ro("retransmissions", &a::retransmissions)
      .def_ro("packets_marked", &a::packets_marked)
      .def_ro("notifications", &a::notifications)
      .def_ro("credits_missing", &a::credits_missing)
      .def_ro("most_events_pending", &a::most_events_pending)
      .def_ro("memory_bytes", &a::memory_bytes);
  using s = stage_account;
  nb::class_<s>(m, "StageAccount", "What one stage has done, over all nodes; times in ps.")
      .def_ro("name", &s::name)
      .def_ro("served", &s::served)
      .def_ro("busy_ps", &s::busy)
      .def_ro("waited_ps", &s::waited)
      .def_ro("longest_wait_ps", &s::longest_wait)
      .def_ro("busiest_node_ps", &s::busiest_node);
}

/// Returns what the machine under running ranks has done so far. Returns nothing in a process that
/// is a rank, because its conductor is another process.
std::optional<machine_accounts> accounts_of(const onehop::context& ctx) {
  const auto* simulated =
      dynamic_cast<const onehop::virtual_machine::transport*>(&transport_of(ctx));
  if (simulated == nullptr)
    throw onehop::usage_error("only ranks of a virtual machine have accounts of it");
  const auto* const here =
      dynamic_cast<const onehop::virtual_machine::thread_conductor*>(&simulated->machine());
  if (here == nullptr) return std::nullopt;
  return accounts_of(here->threads().shared());
}

void bind_job_accounts(nb::module_& m) {
  nb::class_<machine_accounts>(m, "VirtualAccounts", "What a virtual machine has done so far.")
      .def_ro("now_ps", &machine_accounts::now)
      .def_ro("account", &machine_accounts::account)
      .def_ro("stages", &machine_accounts::stages)
      .def(
          "links", [](const machine_accounts& self) { return link_columns(self.links); },
          "Columns with one row for each direction of a cable.");
  m.def("virtual_accounts", &accounts_of, "context"_a,
        "Returns what the machine has done on which the ranks of `context` run; None for a rank of "
        "onehop run.");
}

}  // namespace

void bind_accounts(nb::module_& m) {
  bind_network_accounts(m);
  bind_job_accounts(m);
}
