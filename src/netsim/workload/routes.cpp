#include "netsim/workload/routes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <onehop/error.hpp>
#include <utility>

#include "base/text.hpp"

namespace onehop::netsim {
namespace {

const char* name_of(memory where) { return where == memory::host ? "host" : "device"; }

std::deque<protocol> routes_of(const machine_description& machine, memory from, memory to,
                               std::string_view variant) {
  std::deque<protocol> found;
  for (const protocol& each : machine.protocols)
    if (each.from == from && each.to == to && each.variant == variant) found.push_back(each);
  return found;
}

/// Returns the variants that exist between these memories, or if there are none, between any.
std::string known_variants(const machine_description& machine, memory from, memory to) {
  std::vector<std::string> here, elsewhere;
  const auto add = [](std::vector<std::string>& list, std::string what) {
    if (std::ranges::find(list, what) == list.end()) list.push_back(std::move(what));
  };
  for (const protocol& each : machine.protocols) {
    if (each.from == from && each.to == to) add(here, each.variant);
    add(elsewhere, text(each.variant, " from ", name_of(each.from), " to ", name_of(each.to)));
  }
  std::string known;
  for (const std::string& each : here.empty() ? elsewhere : here)
    known += (known.empty() ? "" : ", ") + each;
  return known;
}

/// Returns the protocol of a word between the hosts of all ranks, or between ranks of one node; if
/// hosts send none, it takes the path of the first such protocol in `otherwise`.
protocol word_protocol(const machine_description& machine, std::string_view variant, bool of_node,
                       const std::deque<protocol>& otherwise) {
  const auto takes_words = [&](const protocol& each) {
    return each.least_bytes <= routes::word_bytes && each.within == 0 && each.of_node == of_node;
  };
  protocol word;
  word.name = "word";
  for (const protocol& each : otherwise)
    if (each.of_node == of_node) {
      word.path = each.path;
      break;
    }
  for (const protocol& each : machine.protocols)
    if (each.from == memory::host && each.to == memory::host && each.variant == variant &&
        takes_words(each)) {
      word.path = each.path;
      break;
    }
  return word;
}

/// Returns whether collectives of the variant work on numbers that the hosts have.
bool hosts_have(const machine_description& machine, std::string_view variant) {
  return std::ranges::any_of(machine.collectives, [&](const collective_software& each) {
    return each.variant == variant && each.of_host;
  });
}

staging staging_named(std::string_view name) {
  if (name == "whole") return staging::whole;
  return name == "parts" ? staging::parts : staging::none;
}

std::string describe_plan(schedule_kind kind, tree_shape shape, staging how) {
  std::string said(name_of(kind));
  if (kind == schedule_kind::k_nomial) {
    said = shape.fan == 1 ? "binomial" : text(said, " of ", shape.fan + 1);
    if (shape.segment > 0) said += text(" in segments of ", shape.segment);
  }
  if (how == staging::none) return said;
  return said + (how == staging::whole ? " between hosts" : " between hosts, copied back in parts");
}

}  // namespace

routes::routes(const machine_description& machine, memory from, memory to, std::string_view variant)
    : puts_(routes_of(machine, from, to, variant)),
      variant_(variant),
      machine_(machine.name),
      of_device_(from == memory::device && to == memory::device && !hosts_have(machine, variant)) {
  if (puts_.empty())
    throw usage_error(text("machine ", machine.name, " has no protocol '", variant, "' from ",
                           name_of(from), " to ", name_of(to), " memory; it has ",
                           known_variants(machine, from, to)));
  if (from == memory::device && hosts_have(machine, variant))
    summed_ = routes_of(machine, memory::host, memory::host, variant);
  word_ = word_protocol(machine, variant, false, puts_);
  word_of_node_ = word_protocol(machine, variant, true, puts_);
  for (const collective_software& each : machine.collectives)
    if (each.variant == variant) take_software(machine, each);
  // A collective between hosts is chosen like one of host memory.
  const bool as_device = of_device_ && !is_staged_;
  const std::vector<choice> otherwise = std::exchange(choices_, {});
  for (const collective_algorithm& each : machine.algorithms)
    if (each.variant == variant && (as_device ? each.of_device : each.of_host))
      take_algorithm(each);
  choices_.insert(choices_.end(), otherwise.begin(), otherwise.end());
  set_places(machine.places);
}

void routes::set_places(std::vector<std::uint32_t> places) {
  places_ = std::move(places);
  slots_.clear();
  std::map<std::uint32_t, std::uint16_t> ranks;
  for (const std::uint32_t place : places_) slots_.push_back(ranks[place]++);
  shares_nodes_ = std::ranges::any_of(slots_, [](std::uint16_t slot) { return slot > 0; });
  if (shares_nodes_) require_rows_of_nodes();
}

/// A message between ranks of one node takes time, so some protocol must say how much.
void routes::require_rows_of_nodes() const {
  for (const std::deque<protocol>* const all : {&puts_, &summed_, &staging_}) {
    if (all->empty() || std::ranges::any_of(*all, &protocol::of_node)) continue;
    throw usage_error(text("machine ", machine_, " says nothing about messages '",
                           all->front().variant, "' from ", name_of(all->front().from), " to ",
                           name_of(all->front().to),
                           " memory of one node: give each rank a host of its own, or the platform "
                           "file a protocol with on_one_node = true"));
  }
}

bool routes::joins(const protocol& way, rank_pair ranks) const {
  if (way.of_node || are_on_one_node(ranks)) return way.of_node && are_on_one_node(ranks);
  const auto block = [&](int rank) { return static_cast<std::uint32_t>(rank) / way.within; };
  return way.within == 0 || block(ranks.origin) == block(ranks.target);
}

std::uint32_t routes::ranks_beside(int rank) const {
  if (!shares_nodes_) return 1;
  return static_cast<std::uint32_t>(std::ranges::count(places_, node_of(rank)));
}

void routes::take_algorithm(const collective_algorithm& each) {
  // Machines give the number of parts into which a level cuts its ranks; one of these parts stays.
  const tree_shape shape{std::max(static_cast<int>(each.fan) - 1, 1), each.segment_bytes};
  choices_.push_back(
      {collective_named(each.operation), each.most_bytes, schedule_named(each.schedule), shape,
       of_device_ ? staging_named(each.staging) : staging::none, static_cast<int>(each.copies_out),
       each.awaits_sources, each.copy_out, each.copy_in});
}

void routes::take_software(const machine_description& machine, const collective_software& each) {
  const auto choose = [this](collective what, std::string_view kind) {
    if (!kind.empty()) choices_.push_back({what, UINT64_MAX, schedule_named(kind), {}});
  };
  choose(collective::barrier, each.barrier);
  choose(collective::allreduce, each.allreduce);
  choose(collective::broadcast, each.broadcast);
  choose(collective::allgather, each.allgather);
  choose(collective::alltoall, each.alltoall);
  step_ = each.step;
  reduce_ = pace(each.reduce_rate);
  // Data in host memory need no copy.
  if (!of_device_) return;
  using enum memory;
  if (each.copy_out >= 0 && each.copy_in >= 0)
    staging_ = routes_of(machine, host, host, each.staging_variant);
  is_staged_ = each.is_staged && !staging_.empty();
  staging_block_ = each.staging_block;
  copy_out_ = each.copy_out;
  copy_in_ = each.copy_in;
  short_copy_ = each.short_most;
  short_out_ = each.short_out;
  short_in_ = each.short_in;
  entry_ = each.entry;
}

const protocol& routes::put_of(std::size_t bytes, std::size_t rows, rank_pair between) const {
  return fitting(puts_, bytes, rows, between);
}

const protocol& routes::fitting(const std::deque<protocol>& ways, std::size_t bytes,
                                std::size_t rows, rank_pair between) const {
  const shape wanted = rows > 1 ? shape::strided : shape::contiguous;
  for (const protocol& each : ways)
    if (each.least_bytes <= bytes && bytes <= each.most_bytes &&
        (each.rows == shape::any || each.rows == wanted) && joins(each, between))
      return each;
  throw usage_error(text("machine ", machine_, " has no protocol '", variant_, "' for ", bytes,
                         " bytes; send less at a time or choose another variant"));
}

const routes::choice& routes::choice_of(collective what, std::uint64_t bytes) const {
  static constexpr auto automatic = [](collective each) {
    return choice{each, UINT64_MAX, schedule_kind::automatic, {}};
  };
  static const std::array otherwise{
      automatic(collective::barrier), automatic(collective::broadcast),
      automatic(collective::allgather), automatic(collective::allreduce),
      automatic(collective::alltoall)};
  const auto found = std::ranges::find_if(
      choices_, [&](const choice& each) { return each.what == what && bytes <= each.most_bytes; });
  return found == choices_.end() ? otherwise[static_cast<std::size_t>(what)] : *found;
}

staging routes::staging_of(collective what, const choice& how) const {
  if (what == collective::alltoall && of_device_ && staging_.empty())
    throw usage_error(text("machine ", machine_, ", '", variant_,
                           "': it has no copies from the device to the host and back; "
                           "choose another variant or schedule"));
  if (what == collective::barrier || staging_.empty()) return staging::none;
  if (what == collective::alltoall) return staging::parts;
  return is_staged_ ? staging::whole : how.how;
}

collective_plan routes::plan_of(collective what, int ranks, int rank, std::size_t bytes,
                                int root) const {
  const bool grows = what == collective::allgather || what == collective::alltoall;
  const choice& how = choice_of(what, grows ? bytes * static_cast<std::size_t>(ranks) : bytes);
  const staging staged_how = staging_of(what, how);
  collective_plan plan;
  plan.how = describe_plan(how.kind, how.shape, staged_how);
  plan.steps =
      staged(make_schedule(what, how.kind, ranks, rank, bytes, root, how.shape), what, staged_how,
             ranks, rank, bytes, root, is_staged_ ? 1 : how.copies_out, staging_block_);
  plan.copy_out = how.copy_out >= 0 && !is_staged_ ? how.copy_out : copy_out_;
  plan.copy_in = how.copy_in >= 0 && !is_staged_ ? how.copy_in : copy_in_;
  if (how.awaits_sources)
    for (schedule_step& step : plan.steps) step.awaits_source = step.to >= 0;
  plan.by_hosts = staged_how != staging::none;
  // A rank's own data are copied within the device or out of it, which takes the entry time. Data
  // that are copied out completely need no such copy.
  const bool own_part = what == collective::allgather || what == collective::allreduce;
  if (own_part && staged_how != staging::whole) plan.entry = entry_;
  return plan;
}

std::uint64_t routes::least_granted_bytes() const {
  // The first protocol that fits is taken, so each one begins at its least size or after an earlier
  // one.
  std::vector<std::uint64_t> begins{1};
  for (const protocol& each : puts_) {
    begins.push_back(std::max<std::uint64_t>(1, each.least_bytes));
    if (each.most_bytes < UINT64_MAX) begins.push_back(each.most_bytes + 1);
  }
  std::ranges::sort(begins);
  for (const std::uint64_t bytes : begins)
    for (const protocol& each : puts_)
      if (each.least_bytes <= bytes && bytes <= each.most_bytes && each.rows != shape::strided &&
          (shares_nodes_ || !each.of_node)) {
        if (each.grant >= 0) return bytes;
        if (each.within == 0 && !each.of_node) break;
      }
  return UINT64_MAX;
}

std::string routes::describe(const protocol& way) const {
  std::string steps = way.request >= 0 ? "request, " : "";
  if (way.grant >= 0) steps += way.request >= 0 ? "grant, " : "unasked grant, ";
  steps += way.block_bytes > 0 ? text("data in blocks of ", way.block_bytes) : "data";
  if (way.notice >= 0) steps += ", notice";
  if (way.credit >= 0) steps += ", held until the target's credit";
  return text("protocol ", way.name, " of ", machine_, " (", steps, ")");
}

message routes::between(int origin, int target, int path, std::size_t bytes) const {
  message sent;
  sent.origin = node_of(origin);
  sent.target = node_of(target);
  sent.origin_slot = slot_of(origin);
  sent.target_slot = slot_of(target);
  sent.bytes = bytes;
  sent.path = static_cast<std::uint32_t>(path);
  return sent;
}

message routes::copy(int rank, schedule_step::copy direction, std::size_t bytes,
                     std::int32_t path) const {
  const bool is_out = direction == schedule_step::copy::out;
  if (bytes <= short_copy_) path = is_out ? short_out_ : short_in_;
  return between(rank, rank, path, bytes);
}

}  // namespace onehop::netsim
