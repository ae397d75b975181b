#include "transport/virtual/transport.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace onehop::virtual_machine {
namespace {

machine checked(int ranks, machine on) {
  if (ranks < 1 || static_cast<std::uint32_t>(ranks) > on.description.nodes)
    throw usage_error(text(ranks, " ranks on the ", on.description.nodes, " nodes of machine ",
                           on.description.name, ": give 1 to ", on.description.nodes));
  return on;
}

/// Ends a wait of its own.
class alarm_clock final : public netsim::receiver {
 public:
  alarm_clock(scheduler& progress, int rank) : progress_(progress), rank_(rank) {}
  void source_free(std::uint32_t) override {}
  void delivered(std::uint32_t) override {}
  void reminded(std::uint32_t) override {
    rung_ = true;
    progress_.wake(rank_);
  }
  bool rung() const noexcept { return rung_; }

 private:
  scheduler& progress_;
  int rank_;
  bool rung_ = false;
};

}  // namespace

job::job(int ranks, machine on)
    : what(checked(ranks, std::move(on))),
      messages(what.description),
      progress(ranks, messages.net(),
               [this](const std::exception& thrown) { fail(thrown.what()); }),
      ways(what.description, what.where, what.windows, what.variant),
      talk(ranks, messages, progress, ways),
      memory(ranks),
      members(static_cast<std::size_t>(ranks)),
      name("virtual:" + what.description.name) {}

void job::fail(std::string why) {
  if (!failure.empty()) return;
  std::ranges::replace(why, '\n', ' ');
  failure = std::move(why);
  progress.wake_all();
}

chain_side& job::add_side(chain_plan plan, int rank, memory_id window, memory_id own) {
  auto& all = chains_[own];
  if (!all) all = std::make_unique<chain_sides>(*this);
  return all->add(std::make_unique<chain_side>(*this, *all, std::move(plan), rank, window), rank);
}

void job::forget_side(memory_id own) {
  const auto found = chains_.find(own);
  if (found == chains_.end() || !found->second->is_last_to_go()) return;
  if (messages.under_way() == 0) retired_.clear();
  retired_.push_back(std::move(found->second));
  chains_.erase(found);
}

transport::~transport() { job_->at(rank_).departed = true; }

memory_id transport::expose(std::span<const std::size_t> bytes_of_rank) {
  return job_->memory.expose(rank_, bytes_of_rank[static_cast<std::size_t>(rank_)]);
}

void transport::withdraw(memory_id memory) noexcept {
  job_->memory.withdraw(memory, rank_);
  job_->forget_side(memory);
}

std::unique_ptr<onehop::endpoint> transport::make_endpoint(chain_plan plan, memory_id window,
                                                           memory_id own) {
  return std::make_unique<endpoint>(job_, std::move(plan), rank_, window, own);
}

void transport::throw_if_failed() const {
  if (!job_->failure.empty()) throw peer_error(job_->failure);
  if (job_->interrupted.load(std::memory_order_relaxed))
    throw peer_error("the job was interrupted");
}

void transport::poll() {
  job_->progress.look(rank_);
  throw_if_failed();
  // Long enough for every other deadline; a loop over test has none.
  if (job_->has_stalled && ++job_->looks_since_stall > 1'000'000)
    throw peer_error("another rank has reached its deadline");
}

void transport::probe() { throw_if_failed(); }

clock::time_point transport::now() const noexcept {
  return clock::time_point(std::chrono::nanoseconds(job_->progress.now() / 1000));
}

bool transport::idle(int, clock::time_point until) {
  const auto last = std::chrono::nanoseconds(until.time_since_epoch()).count();
  job_->progress.wait(rank_, last * 1000);
  return now() >= until;
}

void transport::work(const kernel_cost& cost) {
  const netsim::processor& on = job_->what.where == netsim::memory::device
                                    ? job_->what.description.gpu
                                    : job_->what.description.host;
  const netsim::picoseconds time =
      cost.launches * on.launch +
      std::max(netsim::pace(on.flops_per_second)(static_cast<std::uint64_t>(cost.flops)),
               netsim::pace(on.bytes_per_second)(static_cast<std::uint64_t>(cost.bytes)));
  if (time <= 0) return;
  alarm_clock over(job_->progress, rank_);
  job_->messages.remind(job_->messages.net().now() + time, over, 0);
  while (!over.rung()) job_->progress.wait(rank_, netsim::never);
}

bool transport::left(int rank) const noexcept {
  const job::member& other = job_->members[static_cast<std::size_t>(rank)];
  return other.departed && !other.stalled && job_->messages.under_way() == 0;
}

void transport::abandon(std::string_view reason) noexcept {
  job_->fail(text("rank ", rank_, " failed: ", reason));
}

}  // namespace onehop::virtual_machine
