#include "transport/mpi_p2p/endpoint.hpp"

#include <algorithm>
#include <set>

#include "rma/copy_view.hpp"
#include "transport/mpi/calls.hpp"
#include "transport/mpi/ending.hpp"
#include "transport/mpi/requests.hpp"

namespace onehop::mpi_p2p {
namespace {

using mpi::check;

}  // namespace

using mpi::check;

credits::credits(const chain_plan& plan, const mpi::job& where, int tag) {
  std::set<int> targets, origins;
  for (const planned_put& put : plan.puts)
    if (put.needs_credit) targets.insert(put.target);
  for (const planned_arrival& arrival : plan.arrivals)
    if (arrival.gives_credit) origins.insert(arrival.origin);
  for (const int rank : targets) {
    targets_.push_back({rank, MPI_REQUEST_NULL, 0});
    MPI_Request& receive = targets_.back().receive;
    check(MPI_Recv_init(nullptr, 0, MPI_BYTE, rank, tag, where.comm, &receive), "MPI_Recv_init");
    check(MPI_Start(&receive), "MPI_Start");
  }
  for (const int rank : origins) {
    origins_.push_back({MPI_REQUEST_NULL, 0});
    check(MPI_Send_init(nullptr, 0, MPI_BYTE, rank, tag, where.comm, &origins_.back().send),
          "MPI_Send_init");
  }
}

credits::~credits() { give_back(); }

void credits::give_back() noexcept {
  for (source& one : targets_) mpi::withdraw(one.receive);
  std::vector<MPI_Request> sends;
  for (const sink& one : origins_) sends.push_back(one.send);
  mpi::finish_sends(sends);
}

bool credits::give(std::uint64_t exchange) {
  bool all = true;
  for (sink& one : origins_) {
    if (one.count == exchange) continue;
    int over = 0;
    check(MPI_Test(&one.send, &over, MPI_STATUS_IGNORE), "MPI_Test");
    all &= over != 0;
    if (over == 0) continue;
    check(MPI_Start(&one.send), "MPI_Start");
    one.count = exchange;
  }
  return all;
}

void credits::take_in() {
  for (source& from : targets_)
    for (int came = 1; came != 0;) {
      check(MPI_Test(&from.receive, &came, MPI_STATUS_IGNORE), "MPI_Test");
      if (came == 0) break;
      ++from.count;
      check(MPI_Start(&from.receive), "MPI_Start");
    }
}

std::uint64_t credits::of(int target) const {
  return std::ranges::find(targets_, target, &source::rank)->count;
}

endpoint::endpoint(const chain_plan& plan, std::span<std::byte> window, const mpi::job& where,
                   int tag)
    : job_(where),
      tag_(tag),
      held_(plan.held),
      banks_(static_cast<std::uint64_t>(plan.banks)),
      arrived_(plan.arrivals.size()),
      sends_(plan.puts.size(), MPI_REQUEST_NULL),
      finished_(std::max(plan.puts.size(), plan.arrivals.size())),
      arrived_bytes_(plan.arrivals.size()),
      credits_(plan, where, tag + 1) {
  for (const planned_put& put : plan.puts) {
    std::optional<std::size_t> before;
    for (std::size_t i = 0; i < puts_.size(); ++i)
      if (puts_[i].target == put.target) before = i;
    puts_.push_back({put.source, put.target, put.number, put.needs_credit, before, {}});
    if (put.source.data == nullptr || !is_contiguous(put.source))
      puts_.back().staging.resize(put.source.bytes());
    if (put.variable) puts_.back().size = &plan.size_of(put);
  }
  if (std::ranges::any_of(plan.arrivals, &planned_arrival::variable))
    statuses_.resize(plan.arrivals.size());
  make_receives(plan, window);
  make_sends();
  if (banks_ == 2) start_receives(1);
}

endpoint::~endpoint() { give_back(); }

void endpoint::give_back() noexcept {
  for (std::vector<MPI_Request>& bank : receives_)
    for (MPI_Request& request : bank) mpi::withdraw(request);
  mpi::finish_sends(sends_);
}

void endpoint::make_receives(const chain_plan& plan, std::span<std::byte> window) {
  for (std::uint64_t bank = 0; bank < banks_; ++bank) {
    receives_[bank].assign(plan.arrivals.size(), MPI_REQUEST_NULL);
    std::byte* base = window.data() + plan.own_bank_offset(bank + 1);
    for (std::size_t i = 0; i < plan.arrivals.size(); ++i) {
      const planned_arrival& from = plan.arrivals[i];
      const mpi::byte_count bytes(from.bytes);
      check(MPI_Recv_init(base + from.offset, bytes.count(), bytes.type(), from.origin, tag_,
                          job_.comm, &receives_[bank][i]),
            "MPI_Recv_init");
    }
  }
}

void endpoint::make_sends() {
  for (std::size_t i = 0; i < puts_.size(); ++i) {
    const outgoing& put = puts_[i];
    if (put.size != nullptr) continue;
    const mpi::byte_count bytes(put.source.bytes());
    check(MPI_Send_init(put.begin(), bytes.count(), bytes.type(), put.target, tag_, job_.comm,
                        &sends_[i]),
          "MPI_Send_init");
  }
}

void endpoint::start_receives(std::uint64_t exchange) {
  for (MPI_Request& request : receives_of(exchange)) check(MPI_Start(&request), "MPI_Start");
}

/// With two banks, the receives of this exchange were started in the previous one.
void endpoint::begin(std::uint64_t exchange) {
  begun_ = exchange;
  start_receives(banks_ == 2 ? exchange + 1 : exchange);
}

bool endpoint::start(std::uint64_t exchange) {
  mpi::require_mpi();
  if (begun_ != exchange) begin(exchange);
  bool all = credits_.give(exchange);
  // Credits are read once for all puts. Otherwise a credit that arrives in between could let one
  // put overtake the previous one.
  credits_.take_in();
  for (std::size_t i = 0; i < puts_.size(); ++i) {
    outgoing& put = puts_[i];
    if (put.fired == exchange) continue;
    if (!has_room(put, exchange) || is_held(put, exchange)) {
      all = false;
      continue;
    }
    if (!put.packed() && !put.staging.empty()) copy_view(put.source, put.staging.data());
    send(i);
    put.fired = exchange;
  }
  return all;
}

bool endpoint::has_room(const outgoing& put, std::uint64_t exchange) const {
  return !put.needs_credit || credits_.of(put.target) + banks_ > exchange;
}

bool endpoint::is_held(const outgoing& put, std::uint64_t exchange) const {
  return held_->has(put.number) || (put.before && puts_[*put.before].fired != exchange);
}

bool endpoint::ready(std::uint64_t exchange) {
  credits_.take_in();
  return std::ranges::all_of(puts_, [&](const outgoing& put) { return has_room(put, exchange); });
}

void endpoint::send(std::size_t put) {
  const outgoing& out = puts_[put];
  if (out.size == nullptr) return check(MPI_Start(&sends_[put]), "MPI_Start");
  const mpi::byte_count bytes(*out.size);
  check(MPI_Isend(out.begin(), bytes.count(), bytes.type(), out.target, tag_, job_.comm,
                  &sends_[put]),
        "MPI_Isend");
}

bool endpoint::fired(std::size_t put, std::uint64_t exchange) const {
  return puts_[put].fired == exchange;
}

/// A single call tests everything under way, because each call looks at the whole network.
void endpoint::sweep(std::uint64_t exchange) {
  std::vector<MPI_Request>& receives = receives_of(exchange);
  int count = 0;
  check(MPI_Testsome(static_cast<int>(receives.size()), receives.data(), &count, finished_.data(),
                     statuses_.empty() ? MPI_STATUSES_IGNORE : statuses_.data()),
        "MPI_Testsome");
  note_arrivals(count, exchange);
  check(MPI_Testsome(static_cast<int>(sends_.size()), sends_.data(), &count, finished_.data(),
                     MPI_STATUSES_IGNORE),
        "MPI_Testsome");
  for (int i = 0; i < count; ++i) {
    outgoing& put = puts_[static_cast<std::size_t>(finished_[i])];
    put.sent = put.fired;
  }
}

void endpoint::note_arrivals(int count, std::uint64_t exchange) {
  for (int i = 0; i < count; ++i) {
    const auto arrival = static_cast<std::size_t>(finished_[static_cast<std::size_t>(i)]);
    arrived_[arrival] = exchange;
    if (statuses_.empty()) continue;
    MPI_Count bytes = 0;
    check(MPI_Get_elements_x(&statuses_[static_cast<std::size_t>(i)], MPI_BYTE, &bytes),
          "MPI_Get_elements_x");
    arrived_bytes_[arrival] = static_cast<std::size_t>(bytes);
  }
}

bool endpoint::arrived(std::size_t arrival, std::uint64_t exchange) {
  if (arrived_[arrival] == exchange) return true;
  // A caller that looks at all arrivals in order causes one sweep per turn.
  if (arrival <= asked_last_) sweep(exchange);
  asked_last_ = arrival;
  return arrived_[arrival] == exchange;
}

bool endpoint::source_free(std::size_t put, std::uint64_t exchange) {
  if (puts_[put].sent == exchange) return true;
  if (puts_[put].fired == exchange) sweep(exchange);
  return puts_[put].sent == exchange;
}

std::byte* endpoint::packing_memory(std::size_t put, std::uint64_t) {
  return puts_[put].staging.data();
}

std::string endpoint::describe(std::size_t put) const {
  const outgoing& out = puts_[put];
  std::string channel = out.staging.empty() ? "" : "packed here, then ";
  channel += out.size == nullptr ? "a persistent message" : "a message of its length";
  if (out.staging.empty()) channel += " from its source";
  if (!out.needs_credit) return channel + ", no credit: the target puts back";
  if (banks_ == 1) return channel + ", with credit: the window has one bank";
  return channel + ", with credit: the target puts nothing back";
}

}  // namespace onehop::mpi_p2p
