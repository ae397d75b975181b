#include "netsim/workload/transfer_run.hpp"

#include <algorithm>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::netsim {

transfer_run::transfer_run(const machine_description& machine, const rank_memory& where,
                           queue_kind how)
    : ranks_(static_cast<int>(machine.nodes)),
      dispatcher_(machine, how),
      ways_(machine, where),
      handshakes_(dispatcher_, ways_, *this) {}

std::uint32_t transfer_run::add(const planned_transfer& what) {
  const auto number = static_cast<std::uint32_t>(entries_.size());
  if (what.delay < 0) throw usage_error(text("transfer ", number, ": its delay is negative"));
  for (const int rank : {what.origin, what.target})
    if (rank < 0 || rank >= ranks_)
      throw usage_error(text("transfer ", number, " goes from rank ", what.origin, " to rank ",
                             what.target, ": the machine has ", ranks_, " nodes"));
  const protocol& way = ways_.put_of(what.bytes, what.rows, {what.origin, what.target});
  // Everything is checked before the first change, so a refused transfer leaves nothing behind.
  for (const std::int64_t before : what.after) waiting_for(before);
  for (const std::int64_t before : what.after) waiting_for(before).push_back(number);
  entries_.push_back(
      {{what.origin, what.target, what.bytes, &way, what.first_of_chain, what.address, what.rows},
       what.delay,
       static_cast<std::uint32_t>(what.after.size())});
  return number;
}

std::vector<std::uint32_t>& transfer_run::waiting_for(std::int64_t what) {
  const auto before = static_cast<std::uint64_t>(what < 0 ? ~what : what);
  if (before >= entries_.size())
    throw usage_error(text("of ", entries_.size(), " transfers, there is no ", before,
                           " to wait for; add it before those that wait for it"));
  return what < 0 ? entries_[before].after_source : entries_[before].after_delivery;
}

picoseconds transfer_run::run() {
  freed_.assign(entries_.size(), never);
  arrived_.assign(entries_.size(), never);
  for (std::uint32_t number = 0; number < entries_.size(); ++number) {
    const parcel& what = entries_[number].what;
    entries_[number].to_come = entries_[number].waits_for;
    handshakes_.expect(number, what.origin, what.target, *what.way);
  }
  for (std::uint32_t number = 0; number < entries_.size(); ++number)
    if (entries_[number].waits_for == 0) start(number);
  net().run();
  return net().now();
}

void transfer_run::start(std::uint32_t number) {
  dispatcher_.remind(net().now() + entries_[number].delay, *this, number);
}

void transfer_run::pass(const std::vector<std::uint32_t>& waiting) {
  for (const std::uint32_t number : waiting)
    if (--entries_[number].to_come == 0) start(number);
}

void transfer_run::left(std::uint64_t key) {
  freed_[key] = net().now();
  pass(entries_[key].after_source);
}

void transfer_run::came(std::uint64_t key) {
  arrived_[key] = net().now();
  pass(entries_[key].after_delivery);
}

}  // namespace onehop::netsim
