// A chain as its caller uses it, on the endpoints of the library.

#include <algorithm>
#include <string>

#include "model/checked_memory.hpp"
#include "rma/chain_planning.hpp"
#include "transport/stores/endpoint_exchange.hpp"
#include "transport/stores/endpoint_plan.hpp"

namespace model {
namespace {

using kind = operation::kind;
using endpoint = onehop::stores::endpoint_in<checked_memory>;
using onehop::chain_edge;
using onehop::chain_plan;
using onehop::planned_put;
namespace stores = onehop::stores;

/// Puts of this size are told one by one, and smaller ones together.
constexpr std::size_t told_bytes = stores::told_together_bytes, line = stores::line_bytes;

std::vector<chain_edge> edges_of(const chain_model& chain) {
  std::vector<int> puts(static_cast<std::size_t>(chain.ranks)), arrivals = puts;
  const std::size_t bytes = chain.together ? line : 2 * told_bytes;
  std::vector<chain_edge> edges;
  for (const auto& [origin, target] : chain.puts) {
    const int put = puts[static_cast<std::size_t>(origin)]++;
    const int arrival = arrivals[static_cast<std::size_t>(target)]++;
    edges.push_back({origin, target, put, arrival, static_cast<std::size_t>(arrival) * bytes, bytes,
                     chain.variable});
  }
  return edges;
}

std::size_t bank_bytes(const chain_model& chain) { return chain.puts.size() * 2 * told_bytes; }

chain_plan plan_of(const chain_model& chain, int rank) {
  static const std::byte somewhere{};
  const std::vector<chain_edge> edges = edges_of(chain);
  std::vector<onehop::local_view> sources;
  for (const chain_edge& put : edges)
    if (put.origin == rank)
      sources.push_back({chain.packed ? nullptr : &somewhere, put.bytes, 1, 0});
  chain_plan plan =
      onehop::plan_edges(edges, chain.banks,
                         {static_cast<std::size_t>(chain.ranks), bank_bytes(chain)}, rank, sources);
  plan.in_turns = chain.in_turns && (chain.broken != weakness::turns_on_one_side || rank == 0);
  for (planned_put& put : plan.puts) {
    put.needs_credit &= chain.broken != weakness::no_credit;
  }
  for (auto& arrival : plan.arrivals) arrival.gives_credit &= chain.broken != weakness::no_credit;
  if (chain.broken == weakness::bank_not_switched) {
    plan.own_stride = 0;
    for (planned_put& put : plan.puts) put.target_stride = 0;
  }
  if (chain.reversed && rank % 2 == 1)
    std::ranges::stable_sort(plan.puts, std::ranges::greater(), &planned_put::target);
  return plan;
}

class rank_program;

/// A step calls the function with its number, of a put or an arrival, and its exchange.
struct rank_step {
  bool (rank_program::*function)(std::size_t which, std::uint64_t exchange);
  std::size_t which;
  std::uint64_t exchange;
};

class rank_program final : public program {
 public:
  rank_program(const chain_model& chain, int rank, ranks_memory& memory)
      : chain_(chain),
        rank_(rank),
        memory_(memory),
        plan_(std::make_shared<const chain_plan>(plan_of(chain, rank))),
        endpoint_(*plan_, memory,
                  stores::channel_table::parse(chain.streams ? "streaming" : "prefetch"), {}, rank,
                  ranks_memory::windows, ranks_memory::signals) {
    std::vector<rank_step> steps;
    for (std::uint64_t n = 1; n <= chain.exchanges; ++n) add_exchange(steps, n);
    steps_ = std::make_shared<const std::vector<rank_step>>(std::move(steps));
  }

  std::string name() const override { return "rank " + std::to_string(rank_); }
  std::size_t steps() const override { return steps_->size(); }
  std::unique_ptr<program> copy() const override { return std::make_unique<rank_program>(*this); }

  bool step(std::size_t number) override {
    const auto& [function, which, exchange] = (*steps_)[number];
    memory_.exchange = exchange;
    memory_.deferred.clear();
    for (std::size_t& size : *plan_->sizes) size = bytes_in(exchange);
    return (this->*function)(which, exchange);
  }

  std::uint64_t fingerprint(std::size_t number) const override {
    std::uint64_t fired = 0;
    for (std::size_t put = 0; put < puts(); ++put)
      fired = 2 * fired + (endpoint_.fired(put, (*steps_)[number].exchange) ? 1 : 0);
    return fired;
  }

 private:
  using list = std::vector<rank_step>;

  std::size_t puts() const { return plan_->puts.size(); }
  bool is(weakness what) const { return chain_.broken == what; }
  std::size_t bytes_in(std::uint64_t exchange) const {
    return (chain_.together ? line : 2 * told_bytes) - exchange;
  }

  void add_exchange(list& steps, std::uint64_t n) const {
    const auto add = [&](bool (rank_program::*function)(std::size_t, std::uint64_t),
                         std::size_t which, std::uint64_t exchange) {
      steps.push_back({function, which, exchange});
    };
    const auto pack_all = [&](std::uint64_t exchange) {
      if (!chain_.packed || puts() == 0) return;
      for (std::size_t put = 0; put < puts(); ++put) add(&rank_program::pack, put, exchange);
    };
    std::vector<std::size_t> in(plan_->arrivals.size());
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = chain_.reversed && rank_ % 2 == 1 ? in.size() - 1 - i : i;

    if (!chain_.in_parts && (n == 1 || !is(weakness::packed_before_read))) pack_all(n);
    add(&rank_program::enter, 0, n);
    for (std::size_t put = 0; chain_.in_parts && put < puts(); ++put) {
      add(&rank_program::pack, put, n);
      add(&rank_program::release, put, n);
      if (put == 0 && !in.empty()) add(&rank_program::use, in.front(), n);
    }
    if (!chain_.in_parts) add(&rank_program::start, 0, n);
    for (std::size_t put = 0; put < puts(); ++put) add(&rank_program::keep_distance, put, n);
    // Each face is used once it is in, and all of them until the next start.
    if (chain_.whole) add(&rank_program::await_all, 0, n);
    for (const std::size_t i : in) add(&rank_program::use, i, n);
    if (is(weakness::packed_before_read)) pack_all(n + 1);
    for (const std::size_t i : in) add(&rank_program::read, i, n);
  }

  bool pack(std::size_t put, std::uint64_t n) {
    std::byte* const to = endpoint_.packing_memory(put, n);
    if (endpoint_.direct(put))
      perform({endpoint_.streaming(put) ? kind::stream : kind::write, memory_.plain_at(to), n});
    return true;
  }

  bool enter(std::size_t, std::uint64_t n) {
    perform({kind::begin, 0, n});
    return true;
  }

  bool start(std::size_t, std::uint64_t n) { return endpoint_.start(n); }

  bool release(std::size_t put, std::uint64_t n) {
    onehop::held_puts& held = *plan_->held;
    held.marks.assign(puts(), 0);
    held.count = puts() - 1 - put;
    for (std::size_t later = put + 1; later < puts(); ++later)
      held.marks[static_cast<std::size_t>(plan_->puts[later].number)] = 1;
    endpoint_.start(n);
    return endpoint_.fired(put, n);
  }

  bool keep_distance(std::size_t put, std::uint64_t n) {
    perform({kind::check, static_cast<std::size_t>(plan_->puts[put].target), n, true,
             static_cast<std::uint64_t>(chain_.banks) - 1});
    return true;
  }

  bool await_all(std::size_t, std::uint64_t n) { return *endpoint_.complete(n); }

  bool use(std::size_t arrival, std::uint64_t n) {
    if (!is(weakness::no_wait_for_arrivals) && !endpoint_.arrived(arrival, n)) return false;
    if (chain_.variable)
      if (const std::size_t told = endpoint_.arrived_bytes(arrival, n); told != bytes_in(n))
        fault("is told a size of " + std::to_string(told) + " in place of " +
              std::to_string(bytes_in(n)));
    return read(arrival, n);
  }

  bool read(std::size_t arrival, std::uint64_t n) {
    const std::byte* from = endpoint_.arrival_memory(arrival, n);
    if (from == nullptr)
      from = memory_.share(ranks_memory::windows, rank_).data() + plan_->own_bank_offset(n) +
             plan_->arrivals[arrival].offset;
    perform({kind::read, memory_.plain_at(from), n});
    return true;
  }

  const chain_model& chain_;
  int rank_;
  ranks_memory& memory_;
  std::shared_ptr<const chain_plan> plan_;
  endpoint endpoint_;
  std::shared_ptr<const list> steps_;
};

}  // namespace

verdict chain_model::explored() const {
  ranks_memory memory(ranks, 2 * bank_bytes(*this), puts.size() * sizeof(endpoint::signals),
                      broken);
  checked_memory::in_use = &memory;
  system_model system{{}, (variable ? 5 : 3) * puts.size(), 2 * puts.size()};
  for (int rank = 0; rank < ranks; ++rank)
    system.threads.push_back(std::make_shared<rank_program>(*this, rank, memory));
  return explore(system);
}

}  // namespace model
