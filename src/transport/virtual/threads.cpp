#include "transport/virtual/threads.hpp"

#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::virtual_machine {
namespace {

/// The mail of a rank that is a thread takes packets from the packet dispatcher itself.
class thread_mail final : public mail {
 public:
  thread_mail(packet_dispatcher& packets, int rank) : packets_(packets), rank_(rank) {}

  bool try_send(int to, std::span<const std::byte> head, std::span<const std::byte> body,
                const modelled_message& stands_for) override {
    if (packets_.under_way(rank_) + head.size() + body.size() >
        packet_dispatcher::most_bytes_of_rank) {
      packets_.wake_below(rank_, packet_dispatcher::most_bytes_of_rank / 2);
      return false;
    }
    packets_.send(rank_, to, head, body, stands_for);
    return true;
  }
  std::optional<packet> next() override {
    if (std::exchange(handed_out_, false)) packets_.take(rank_);
    const packet_dispatcher::packet* const found = packets_.next(rank_);
    if (found == nullptr) return std::nullopt;
    handed_out_ = true;
    return packet{found->from, found->bytes};
  }
  bool all_came() noexcept override {
    if (packets_.under_way(rank_) == 0) return true;
    packets_.wake_below(rank_, 0);
    return false;
  }

 private:
  packet_dispatcher& packets_;
  int rank_;
  bool handed_out_ = false;  ///< the rank may still read the packet that comes next
};

}  // namespace

thread_machine::thread_machine(int ranks, machine on) : job_(ranks, std::move(on)), turns_(ranks) {}

void thread_machine::finish(int rank) {
  job_.progress.retire(rank);
  turns_.leave(rank, job_.progress.choose());
}

void thread_machine::pass_on(int rank) {
  const int next = job_.progress.choose();
  if (next != rank) turns_.pass_on(rank, next);
}

void thread_machine::stall(int rank) { job_.at(rank).stalled = has_stalled_ = true; }

void thread_machine::throw_if_failed() {
  if (!job_.failure.empty()) throw peer_error(job_.failure);
  if (interrupted_.load(std::memory_order_relaxed)) throw peer_error("the job was interrupted");
}

bool thread_machine::is_silent(int rank) const noexcept {
  return !job_.members[static_cast<std::size_t>(rank)].stalled && job_.messages.under_way() == 0;
}

void thread_machine::wait(int rank, picoseconds until) {
  if (job_.progress.suspend(rank, until)) pass_on(rank);
}

void thread_machine::look(int rank) {
  job_.progress.defer(rank);
  pass_on(rank);
  // A stalled job goes on long enough for every other deadline; a loop over test has no deadline of
  // its own.
  if (has_stalled_ && ++looks_since_stall_ > 10'000)
    throw peer_error("another rank has reached its deadline");
}

void thread_machine::pass(int rank, picoseconds time) {
  if (time <= 0) return;
  const pause& own = job_.at(rank).pause;
  job_.at(rank).pause.begin(job_.messages, time);
  while (!own.is_over()) wait(rank, netsim::never);
}

thread_conductor::thread_conductor(int ranks, machine on)
    : round_memory(checked_count(ranks, on)),
      conductor("virtual:" + on.description.name, table(), message_bytes),
      own_(std::make_unique<thread_machine>(ranks, std::move(on))),
      machine_(*own_),
      team_(machine_.shared(), table(), all_ranks(ranks)),
      memory_(ranks),
      messages_(static_cast<std::size_t>(ranks)) {}

thread_conductor::thread_conductor(thread_machine& on, std::vector<int> members)
    : round_memory(static_cast<int>(members.size())),
      conductor(on.shared().name, table(), message_bytes),
      machine_(on),
      team_(on.shared(), table(), members),
      memory_(static_cast<int>(members.size())),
      messages_(members.size()) {}

std::shared_ptr<conductor> thread_conductor::join_group(int, memory_id divided,
                                                        const partition& how) {
  std::vector<int> members = how.members();
  std::shared_ptr<thread_conductor>& group = groups_[{divided, members.front()}];
  for (int& each : members) each = team_.member(each);
  if (!group) group = std::make_shared<thread_conductor>(machine_, std::move(members));
  return group;
}

bool thread_conductor::left(int rank) const noexcept {
  return team_.has_left(rank) && machine_.is_silent(team_.member(rank));
}

void thread_conductor::abandon(int rank, std::string_view reason) noexcept {
  machine_.shared().fail(text("rank ", team_.member(rank), " failed: ", reason));
}

void thread_conductor::leave(int rank) noexcept {
  // A group stays, its memory need not.
  if (team_.leave(rank) && !own_) memory_ = exposed_shares(size());
}

memory_id thread_conductor::expose(int rank, std::span<const std::size_t> bytes_of_rank) {
  return memory_.expose(rank, bytes_of_rank[static_cast<std::size_t>(rank)]);
}

void thread_conductor::withdraw(int rank, memory_id memory) noexcept {
  ask(rank, {.what = request::forget, .own = memory});
  memory_.withdraw(memory, rank);
}

std::unique_ptr<mail> thread_conductor::open_mail(int rank) {
  if (!own_) return nullptr;
  return std::make_unique<thread_mail>(machine_.packets(), rank);
}

void thread_conductor::ask(int rank, request what) {
  what.rank = rank;
  const bool adds = what.what == request::add_chain;
  team_.carry_out(what, adds ? share(what.own, rank).data() : nullptr);
}

std::byte* thread_conductor::message_memory(int rank, unsigned parity, std::size_t bytes) {
  auto& said = messages_[static_cast<std::size_t>(rank)][parity];
  // The address is never null, also for a message of no bytes.
  if (said.size() < bytes || said.empty()) said.resize(std::max<std::size_t>(1, bytes));
  return said.data();
}

}  // namespace onehop::virtual_machine
