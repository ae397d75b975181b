#include "transport/virtual/processes/remote_conductor.hpp"

#include <algorithm>
#include <onehop/error.hpp>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "transport/virtual/processes/remote_mail.hpp"

namespace onehop::virtual_machine {

team_block& team_block::create(std::span<std::byte> range, const std::vector<int>& members) {
  const auto ranks = static_cast<int>(members.size());
  const std::size_t room = range.size() - head_bytes(ranks);
  auto& control = stores::control_block::create(range.data(), ranks, range.size(), ring_bytes);
  // Windows have three quarters of the room, and are seldom short of addresses.
  const std::size_t longest = room / 4 / (2 * members.size()) / stores::page_bytes;
  if (longest == 0)
    throw resource_error(text("a group of ", ranks, " ranks has ", range.size(),
                              " bytes of addresses in /dev/shm, which are too few: drop groups "
                              "that are no longer used"));
  return write(control, members, std::min(message_bytes, longest * stores::page_bytes));
}

team_block& team_block::write(stores::control_block& control, const std::vector<int>& members,
                              std::size_t longest_message) {
  team_block& made = of(control);
  made.ranks = members.size();
  made.longest_message = longest_message;
  for (std::size_t rank = 0; rank < members.size(); ++rank)
    made.members()[rank] = {members[rank], 0};
  return made;
}

remote_conductor::remote_conductor(std::shared_ptr<rank_process> process,
                                   std::shared_ptr<stores::arena> range, int rank,
                                   std::size_t windows)
    : conductor(process->block().name.data(), team_block::of(control_in(*range)).rounds(),
                team_block::of(control_in(*range)).longest_message),
      process_(std::move(process)),
      range_(std::move(range)),
      block_(team_block::of(control_in(*range_))),
      windows_(*range_, rank, windows, block_.end_of_windows(range_->bytes())) {}

remote_conductor::remote_conductor(const std::shared_ptr<stores::arena>& memory, int rank)
    : remote_conductor(std::make_shared<rank_process>(memory, rank), memory, rank,
                       conductor_block::of(control_in(*memory)).windows) {}

remote_conductor::remote_conductor(std::shared_ptr<rank_process> process,
                                   std::shared_ptr<stores::arena> range, int rank)
    : remote_conductor(std::move(process), range, rank,
                       team_block::head_bytes(control_in(*range).ranks)) {
  control_in(*range).take_place(rank, in_job(rank));
}

void remote_conductor::ask(int rank, request what) {
  what.team = team();
  what.rank = rank;
  if (what.what == request::add_chain)
    what.own_offset = process_->offset_of(share(what.own, rank).data());
  process_->ask(what);
}

bool remote_conductor::left(int rank) const noexcept {
  return block_.members()[static_cast<std::size_t>(rank)].departed != 0 && process_->is_silent();
}

void remote_conductor::leave(int rank) noexcept {
  // The conductor says who has left the job; a group goes on without it.
  if (team() == 0) return process_->leave();
  block_.members()[static_cast<std::size_t>(rank)].departed = 1;
  ask(rank, {.what = request::leave_team});
  process_->complete_requests();
}

void remote_conductor::withdraw(int rank, memory_id memory) noexcept {
  ask(rank, {.what = request::forget, .own = memory});
  // The conductor must have carried out the request before the memory is gone.
  process_->complete_requests();
  windows_.withdraw(memory);
}

memory_id remote_conductor::divide(int rank, const partition& how) {
  std::vector<int> members = how.members();
  const memory_id id = windows_.set_aside(how, team_block::head_bytes);
  if (members.empty() || members.front() != rank) return id;
  for (int& each : members) each = in_job(each);
  try {
    team_block::create(windows_.share(id, rank), members);
  } catch (...) {
    windows_.withdraw(id);
    throw;
  }
  return id;
}

std::shared_ptr<conductor> remote_conductor::join_group(int rank, memory_id divided,
                                                        const partition& how) {
  const std::span<std::byte> range = share(divided, how.members().front());
  const auto offset = static_cast<std::size_t>(range.data() - range_->base());
  return std::make_shared<remote_conductor>(process_, stores::part_of(range_, offset, range.size()),
                                            how.number_of(rank));
}

void remote_conductor::note_call(int, const call_site& site) {
  call_site in_team = site;
  in_team.team = team();
  process_->note_call(in_team);
}

std::unique_ptr<mail> remote_conductor::open_mail(int rank) {
  if (team() != 0) return nullptr;
  if (!mailboxes_) {
    const auto ranks = static_cast<int>(block_.ranks);
    const std::vector<std::size_t> each(block_.ranks, mailbox::bytes_for(ranks));
    mailboxes_ = expose(rank, each);
  }
  const std::span<std::byte> mine = share(*mailboxes_, rank);
  mailbox& box = *new (mine.data()) mailbox{};
  box.capacity = (mine.size() - sizeof(mailbox)) / 2;
  return std::make_unique<remote_mail>(*process_, rank, box);
}

std::string remote_conductor::describe(int rank, memory_id own, std::size_t put) {
  return process_->describe(
      {.what = request::fire, .rank = rank, .team = team(), .own = own, .put = {.put = put}});
}

std::byte* remote_conductor::message_memory(int rank, unsigned parity, std::size_t bytes) {
  const std::size_t begin = block_.message_offset(range_->bytes(), rank, parity);
  const std::size_t wanted = stores::control_block::round_up(bytes);
  std::size_t& there = reserved_[parity];
  if (wanted > there) {
    range_->reserve(begin + there, wanted - there);
    there = wanted;
  }
  return range_->base() + begin;
}

}  // namespace onehop::virtual_machine
