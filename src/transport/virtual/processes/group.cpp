#include "transport/virtual/processes/group.hpp"

#include <algorithm>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::virtual_machine {
namespace {

std::size_t end_of_windows(const team_block& block, std::size_t range) {
  return range - 2 * block.ranks * block.longest_message;
}

}  // namespace

team_block& team_block::create(std::span<std::byte> range, const std::vector<int>& members) {
  const auto ranks = static_cast<int>(members.size());
  const std::size_t head = head_bytes(ranks), room = range.size() - head;
  auto& control = stores::control_block::create(range.data(), ranks, range.size());
  team_block& made = of(control);
  made.ranks = members.size();
  for (std::size_t rank = 0; rank < members.size(); ++rank)
    made.members()[rank] = {members[rank], 0};
  // Windows have three quarters of the room, and are seldom short of addresses.
  const std::size_t longest = room / 4 / (2 * members.size()) / stores::page_bytes;
  made.longest_message = std::min(message_bytes, longest * stores::page_bytes);
  if (made.longest_message == 0)
    throw resource_error(text("a group of ", ranks, " ranks has ", range.size(),
                              " bytes of addresses in /dev/shm, which are too few: drop groups "
                              "that are no longer used"));
  return made;
}

memory_id divide_range(stores::exposed_blocks& windows, int rank, const partition& how,
                       const std::vector<int>& in_job) {
  const memory_id id = windows.set_aside(how, team_block::head_bytes);
  if (in_job.empty() || how.members().front() != rank) return id;
  try {
    team_block::create(windows.share(id, rank), in_job);
  } catch (...) {
    windows.withdraw(id);
    throw;
  }
  return id;
}

remote_group::remote_group(remote_conductor& whole, std::shared_ptr<stores::arena> range, int rank)
    : conductor(whole.name(), team_block::of(control_in(*range)).rounds()),
      whole_(whole),
      range_(std::move(range)),
      block_(team_block::of(control())),
      windows_(*range_, rank, team_block::head_bytes(control().ranks),
               end_of_windows(block_, range_->bytes())) {
  control().take_place(rank, in_job(rank));
}

request remote_group::asked(int rank, request what) const {
  what.team = whole_.offset_of(range_->base());
  what.rank = rank;
  return what;
}

bool remote_group::left(int rank) const noexcept {
  return block_.members()[static_cast<std::size_t>(rank)].departed != 0 && whole_.is_silent();
}

void remote_group::abandon(int rank, std::string_view reason) noexcept {
  whole_.abandon(in_job(rank), reason);
}

void remote_group::timed_out(int rank, std::string_view report) noexcept {
  whole_.timed_out(in_job(rank), report);
}

void remote_group::leave(int rank) noexcept {
  block_.members()[static_cast<std::size_t>(rank)].departed = 1;
  whole_.ask(asked(rank, {.what = request::leave_team}));
  whole_.complete_requests();
}

void remote_group::withdraw(int rank, memory_id memory) noexcept {
  whole_.ask(asked(rank, {.what = request::forget, .own = memory}));
  // The conductor must have carried out the request before the memory is gone.
  whole_.complete_requests();
  windows_.withdraw(memory);
}

memory_id remote_group::divide(int rank, const partition& how) {
  std::vector<int> members = how.members();
  for (int& each : members) each = in_job(each);
  return divide_range(windows_, rank, how, members);
}

std::shared_ptr<conductor> remote_group::join_group(int rank, memory_id divided,
                                                    const partition& how) {
  const std::span<std::byte> range = share(divided, how.members().front());
  const auto offset = static_cast<std::size_t>(range.data() - range_->base());
  return std::make_shared<remote_group>(whole_, stores::part_of(range_, offset, range.size()),
                                        how.number_of(rank));
}

void remote_group::note_call(int rank, const call_site& site) {
  call_site in_group = site;
  // A group of a group has said already which one it is.
  if (in_group.team == 0) in_group.team = whole_.offset_of(range_->base());
  whole_.note_call(in_job(rank), in_group);
}

void remote_group::add_chain(int rank, memory_id own) {
  const std::size_t record = whole_.offset_of(share(own, rank).data());
  whole_.ask(asked(rank, {.what = request::add_chain, .own = own, .own_offset = record}));
}

void remote_group::begin_exchange(int rank, memory_id own) {
  whole_.ask(asked(rank, {.what = request::begin_exchange, .own = own}));
}

void remote_group::fire(int rank, memory_id own, const fired_put& what) {
  whole_.ask(asked(rank, {.what = request::fire, .own = own, .put = what}));
}

std::string remote_group::describe(int rank, memory_id own, std::size_t put) {
  return whole_.describe(asked(rank, {.what = request::fire, .own = own, .put = {.put = put}}));
}

std::byte* remote_group::message_of(int rank, unsigned parity) {
  return range_->base() + block_.message_offset(range_->bytes(), rank, parity);
}

std::byte* remote_group::message_memory(int rank, unsigned parity, std::size_t bytes) {
  const std::size_t wanted = stores::control_block::round_up(bytes);
  std::size_t& there = reserved_[parity];
  if (wanted > there) {
    range_->reserve(block_.message_offset(range_->bytes(), rank, parity) + there, wanted - there);
    there = wanted;
  }
  return message_of(rank, parity);
}

void remote_group::enter_round(int rank) {
  whole_.ask(asked(rank, {.what = request::enter_round}));
}

}  // namespace onehop::virtual_machine
