#include "transport/adversary/endpoint.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace onehop::adversary {

endpoint::endpoint(std::shared_ptr<job> shared, chain_plan plan, int rank, memory_id window,
                   memory_id own)
    : job_(std::move(shared)),
      plan_(std::move(plan)),
      rank_(rank),
      window_(window),
      own_(own),
      outgoing_(plan_.puts.size()),
      forth_(plan_.arrivals.size()) {
  job_->boards[own].sides.resize(job_->members.size());
  side(rank).arrived.resize(plan_.arrivals.size());
  side(rank).bytes.resize(plan_.arrivals.size());
  side(rank).credit.resize(plan_.puts.size());
  outbox_->free.resize(plan_.puts.size());
  const auto turns = turns_of(plan_, rank);
  for (std::size_t put = 0; put < turns.size(); ++put) {
    outgoing_[put].back = turns[put];
    if (turns[put]) forth_[*turns[put]] = put;
  }
  for (std::size_t put = 0; put < outgoing_.size(); ++put) {
    const planned_put& planned = plan_.puts[put];
    if (planned.source.data != nullptr) continue;
    outgoing_[put].direct =
        !planned.needs_credit && job_->progress.chance(job_->progress.perturbed().direct);
    for (auto& memory : outgoing_[put].staging) {
      memory.resize(planned.source.bytes());
      poison(memory);
    }
  }
}

// Puts that take turns are written, in even exchanges, where this rank has read in odd ones; the
// target reads them there.
std::span<std::byte> endpoint::target_of(std::size_t put, std::uint64_t exchange) const {
  const planned_put& planned = plan_.puts[put];
  const std::optional<std::size_t> back = outgoing_[put].back;
  if (back && exchange % 2 == 0) return place_of(*back, 1);
  const std::size_t bank = back ? 0 : plan_.bank_offset(planned, exchange);
  return job_->memory.share(window_, planned.target)
      .subspan(bank + planned.target_offset, planned.source.bytes());
}

std::span<std::byte> endpoint::place_of(std::size_t arrival, std::uint64_t exchange) const {
  const std::optional<std::size_t> forth = forth_[arrival];
  if (forth && exchange % 2 == 0) return target_of(*forth, 1);
  const std::size_t bank = forth ? 0 : plan_.own_bank_offset(exchange);
  return job_->memory.share(window_, rank_)
      .subspan(bank + plan_.arrivals[arrival].offset, plan_.arrivals[arrival].bytes);
}

const std::byte* endpoint::arrival_memory(std::size_t arrival, std::uint64_t exchange) const {
  return place_of(arrival, exchange).data();
}

void endpoint::begin(std::uint64_t exchange) {
  side(rank_).begun = exchange;
  for (std::size_t i = 0; i < plan_.arrivals.size(); ++i) {
    const planned_arrival& arrival = plan_.arrivals[i];
    // From here on the bytes of the previous exchange may be overwritten: by the next exchange if
    // there are two banks, by this one if there is one. A put that takes turns with them may be
    // packed.
    if (!forth_[i] || !outgoing_[*forth_[i]].direct) poison(place_of(i, exchange + 1));
    if (!arrival.gives_credit) continue;
    const moment delay = job_->progress.delay(job_->progress.perturbed().word_delay);
    const auto put = static_cast<std::size_t>(arrival.put);
    auto& credit = side(arrival.origin).credit[put];
    job_->send(delay, rank_, arrival.origin,
               [&credit, exchange] { credit = std::max(credit, exchange); });
  }
}

bool endpoint::ready(std::size_t put, std::uint64_t exchange) const {
  if (outbox_->under_way >= job_->progress.perturbed().queue_slots) return false;
  if (!plan_.puts[put].needs_credit) return true;
  return side(rank_).credit[put] + static_cast<std::uint64_t>(plan_.banks) > exchange;
}

void endpoint::fire(std::size_t put, std::uint64_t exchange) {
  const planned_put& planned = plan_.puts[put];
  outgoing& out = outgoing_[put];
  out.fired = exchange;
  if (side(planned.target).begun + static_cast<std::uint64_t>(plan_.banks) <= exchange)
    job_->accuse(text("put ", put, " of rank ", rank_, " in exchange ", exchange,
                      " overwrites what rank ", planned.target, ", in exchange ",
                      side(planned.target).begun, ", may still read"));
  const std::size_t bytes = plan_.size_of(planned);
  local_view source = plan_.sent_by(planned);
  std::span<std::byte> staging;
  if (source.data == nullptr) {
    staging = out.staging[exchange % 2];
    source = local_view::contiguous(staging.first(bytes));
  }
  const transfer::route way{
      rank_,    planned.target, put,  static_cast<std::size_t>(planned.arrival),
      exchange, window_,        own_, bytes};
  std::make_shared<transfer>(*job_, way, outbox_, source, target_of(put, exchange).first(bytes),
                             out.direct || bytes == 0, staging)
      ->begin();
}

bool endpoint::start(std::uint64_t exchange) {
  job_->step(rank_);
  if (side(rank_).begun != exchange) begin(exchange);
  bool all = true;
  const std::size_t first = outgoing_.empty() ? 0 : job_->progress.draw(outgoing_.size());
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    const std::size_t put = (first + i) % outgoing_.size();
    if (outgoing_[put].fired == exchange) continue;
    if (ready(put, exchange) && !plan_.held->has(plan_.puts[put].number))
      fire(put, exchange);
    else
      all = false;
  }
  return all;
}

bool endpoint::ready(std::uint64_t exchange) {
  job_->step(rank_);
  for (std::size_t put = 0; put < outgoing_.size(); ++put)
    if (!ready(put, exchange)) return false;
  return true;
}

bool endpoint::arrived(std::size_t arrival, std::uint64_t exchange) {
  job_->step(rank_);
  return side(rank_).arrived[arrival][exchange % 2] == exchange;
}

std::uint64_t endpoint::last_arrived(std::size_t arrival) const {
  return std::ranges::max(side(rank_).arrived[arrival]);
}

bool endpoint::source_free(std::size_t put, std::uint64_t exchange) {
  job_->step(rank_);
  return outbox_->free[put] == exchange;
}

std::byte* endpoint::packing_memory(std::size_t put, std::uint64_t exchange) {
  outgoing& out = outgoing_[put];
  return out.direct ? target_of(put, exchange).data() : out.staging[exchange % 2].data();
}

std::string endpoint::describe(std::size_t put) const {
  const bool credit = plan_.puts[put].needs_credit;
  return text(outgoing_[put].direct ? "packed straight into the target" : "whenever it pleases",
              credit ? ", with credit" : ", no credit");
}

}  // namespace onehop::adversary
