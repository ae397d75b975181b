#include "transport/virtual/routes.hpp"

#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::virtual_machine {
namespace {

const char* name_of(netsim::memory where) {
  return where == netsim::memory::host ? "host" : "device";
}

route route_of(const netsim::protocol& found) {
  return {found.name,
          {found.request >= 0, found.grant >= 0, found.notice >= 0, found.block_bytes},
          found.least_bytes,
          found.most_bytes,
          found.rows,
          found.path,
          found.request,
          found.grant,
          found.notice};
}

std::string known_variants(const netsim::machine_description& machine, netsim::memory where) {
  std::string known;
  for (const netsim::protocol& each : machine.protocols)
    if (each.from == where && each.to == where && known.find(each.variant) == std::string::npos)
      known += (known.empty() ? "" : ", ") + each.variant;
  return known.empty() ? "none" : known;
}

int find_word_path(const netsim::machine_description& machine, std::string_view variant,
                   int otherwise) {
  for (const netsim::protocol& each : machine.protocols)
    if (each.from == netsim::memory::host && each.to == netsim::memory::host &&
        each.variant == variant && each.least_bytes <= routes::word_bytes)
      return each.path;
  return otherwise;
}

}  // namespace

routes::routes(const netsim::machine_description& machine, netsim::memory where,
               std::string_view variant)
    : places_(machine.places), variant_(variant), machine_(machine.name) {
  for (const netsim::protocol& each : machine.protocols)
    if (each.from == where && each.to == where && each.variant == variant)
      puts_.push_back(route_of(each));
  if (puts_.empty())
    throw usage_error(text("machine ", machine.name, " has no protocol '", variant, "' from ",
                           name_of(where), " to ", name_of(where), " memory; it has ",
                           known_variants(machine, where)));
  const int path = find_word_path(machine, variant, puts_.front().path);
  word_ = {"word", {}, 0, word_bytes, netsim::shape::any, path, -1, -1, -1};
  for (const netsim::collective_software& each : machine.collectives) {
    if (each.variant != variant) continue;
    const auto choose = [this](collective what, std::string_view kind, std::uint64_t least) {
      if (!kind.empty()) choices_.push_back({what, least, schedule_named(kind)});
    };
    choose(collective::barrier, each.barrier, 0);
    choose(collective::allreduce, each.allreduce, 0);
    choose(collective::broadcast, each.broadcast, 0);
    choose(collective::broadcast, each.broadcast_large, each.broadcast_switch);
    choose(collective::allgather, each.allgather, 0);
    choose(collective::allgather, each.allgather_large, each.allgather_switch);
    // Machines say into how many parts a level cuts what is left, one of which stays.
    fan_ = each.fan > 2 ? static_cast<int>(each.fan) - 1 : 1;
    // A copy within the GPU or out of it: what lies in host memory needs none.
    if (where == netsim::memory::device) entry_ = each.entry;
    step_ = each.step;
    reduce_ = netsim::pace(each.reduce_rate);
  }
}

const route& routes::put_of(std::size_t bytes, std::size_t rows) const {
  const netsim::shape shape = rows > 1 ? netsim::shape::strided : netsim::shape::contiguous;
  for (const route& each : puts_)
    if (each.least_bytes <= bytes && bytes <= each.most_bytes &&
        (each.rows == netsim::shape::any || each.rows == shape))
      return each;
  throw usage_error(text("machine ", machine_, " has no protocol '", variant_, "' for ", bytes,
                         " bytes; send less at a time or choose another variant"));
}

step_list routes::steps_of(collective what, int ranks, int rank, std::size_t bytes,
                           int root) const {
  const std::size_t all =
      what == collective::allgather ? bytes * static_cast<std::size_t>(ranks) : bytes;
  auto kind = schedule_kind::automatic;
  for (const choice& each : choices_)
    if (each.what == what && each.least_bytes <= all) kind = each.kind;
  return make_schedule(what, kind, ranks, rank, bytes, root, fan_);
}

std::string routes::describe(const route& way) const {
  std::string steps = way.how.request ? "request, " : "";
  if (way.how.grant) steps += way.how.request ? "grant, " : "unasked grant, ";
  steps += way.how.block_bytes > 0 ? text("data in blocks of ", way.how.block_bytes) : "data";
  if (way.how.notice) steps += ", notice";
  return text("protocol ", way.name, " of ", machine_, " (", steps, ")");
}

netsim::message routes::data(int origin, int target, const route& way, std::size_t bytes) const {
  netsim::message sent;
  sent.origin = node_of(origin);
  sent.target = node_of(target);
  sent.bytes = bytes;
  sent.path = static_cast<std::uint32_t>(way.path);
  return sent;
}

netsim::message routes::word(int origin, int target, int path) const {
  netsim::message sent;
  sent.origin = node_of(origin);
  sent.target = node_of(target);
  sent.bytes = word_bytes;
  sent.path = static_cast<std::uint32_t>(path);
  return sent;
}

}  // namespace onehop::virtual_machine
