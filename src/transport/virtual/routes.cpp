#include "transport/virtual/routes.hpp"

#include <algorithm>
#include <onehop/error.hpp>
#include <utility>

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

std::deque<route> routes_of(const netsim::machine_description& machine, netsim::memory from,
                            netsim::memory to, std::string_view variant) {
  std::deque<route> found;
  for (const netsim::protocol& each : machine.protocols)
    if (each.from == from && each.to == to && each.variant == variant)
      found.push_back(route_of(each));
  return found;
}

/// What there is between these memories, or else between any.
std::string known_variants(const netsim::machine_description& machine, netsim::memory from,
                           netsim::memory to) {
  std::vector<std::string> here, elsewhere;
  const auto add = [](std::vector<std::string>& list, std::string what) {
    if (std::ranges::find(list, what) == list.end()) list.push_back(std::move(what));
  };
  for (const netsim::protocol& each : machine.protocols) {
    if (each.from == from && each.to == to) add(here, each.variant);
    add(elsewhere, text(each.variant, " from ", name_of(each.from), " to ", name_of(each.to)));
  }
  std::string known;
  for (const std::string& each : here.empty() ? elsewhere : here)
    known += (known.empty() ? "" : ", ") + each;
  return known;
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

routes::routes(const netsim::machine_description& machine, netsim::memory from, netsim::memory to,
               std::string_view variant)
    : puts_(routes_of(machine, from, to, variant)),
      places_(machine.places),
      variant_(variant),
      machine_(machine.name),
      of_device_(from == netsim::memory::device && to == netsim::memory::device) {
  if (puts_.empty())
    throw usage_error(text("machine ", machine.name, " has no protocol '", variant, "' from ",
                           name_of(from), " to ", name_of(to), " memory; it has ",
                           known_variants(machine, from, to)));
  const int path = find_word_path(machine, variant, puts_.front().path);
  word_ = {"word", {}, 0, word_bytes, netsim::shape::any, path, -1, -1, -1};
  for (const netsim::collective_software& each : machine.collectives)
    if (each.variant == variant) take_software(machine, each);
}

void routes::take_software(const netsim::machine_description& machine,
                           const netsim::collective_software& each) {
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
  step_ = each.step;
  reduce_ = netsim::pace(each.reduce_rate);
  // What lies in host memory needs no copy.
  if (!of_device_) return;
  using enum netsim::memory;
  if (each.copy_out >= 0 && each.copy_in >= 0)
    staging_ = routes_of(machine, host, host, each.staging_variant);
  is_staged_ = each.is_staged && !staging_.empty();
  staging_block_ = each.staging_block;
  copy_out_ = each.copy_out;
  copy_in_ = each.copy_in;
  // A copy within the GPU or out of it, which staging pays for as such.
  if (!is_staged_) entry_ = each.entry;
}

const route& routes::put_of(std::size_t bytes, std::size_t rows) const {
  return fitting(puts_, bytes, rows);
}

const route& routes::fitting(const std::deque<route>& ways, std::size_t bytes,
                             std::size_t rows) const {
  const netsim::shape shape = rows > 1 ? netsim::shape::strided : netsim::shape::contiguous;
  for (const route& each : ways)
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
  if (what == collective::alltoall) return alltoall_steps(ranks, rank, bytes);
  auto kind = schedule_kind::automatic;
  for (const choice& each : choices_)
    if (each.what == what && each.least_bytes <= all) kind = each.kind;
  step_list steps = make_schedule(what, kind, ranks, rank, bytes, root, fan_);
  return is_staged_ ? staged(std::move(steps), what, ranks, rank, bytes, root) : steps;
}

step_list routes::alltoall_steps(int ranks, int rank, std::size_t bytes) const {
  if (of_device_ && staging_.empty())
    throw usage_error(text("machine ", machine_, ", '", variant_,
                           "': nothing is said of copies from the device to the host and back; "
                           "choose another variant or schedule"));
  step_list steps = staged_alltoall(ranks, rank, bytes, of_device_ ? staging_block_ : 0);
  const auto copies = [](const schedule_step& each) {
    return each.copies != schedule_step::copy::none;
  };
  if (!of_device_) std::erase_if(steps, copies);
  return steps;
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

netsim::message routes::copy(int rank, schedule_step::copy direction, std::size_t bytes) const {
  netsim::message made;
  made.origin = made.target = node_of(rank);
  made.bytes = bytes;
  made.path =
      static_cast<std::uint32_t>(direction == schedule_step::copy::out ? copy_out_ : copy_in_);
  return made;
}

}  // namespace onehop::virtual_machine
