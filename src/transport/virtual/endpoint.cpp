#include "transport/virtual/endpoint.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "rma/copy_view.hpp"

namespace onehop::virtual_machine {

endpoint::endpoint(std::shared_ptr<conductor> machine, chain_plan plan, int rank, memory_id window,
                   memory_id own)
    : machine_(std::move(machine)),
      plan_(std::move(plan)),
      rank_(rank),
      window_(window),
      own_(own),
      record_(chain_record::write(machine_->share(own, rank), plan_)),
      looked_for_(plan_.arrivals.size()),
      staging_(plan_.puts.size()) {
  machine_->ask(rank_, {.what = request::add_chain, .own = own_});
  for (std::size_t put = 0; put < staging_.size(); ++put)
    if (const planned_put& planned = plan_.puts[put];
        planned.source.data == nullptr && !direct(put))
      staging_[put].resize(planned.source.bytes());
}

std::uint64_t endpoint::last_arrived(std::size_t arrival) const {
  return std::ranges::max(record_.arrivals()[arrival].exchange);
}

bool endpoint::has_room(std::size_t put, std::uint64_t exchange) const {
  const put_record& record = record_.puts()[put];
  return record.needs_credit == 0 ||
         record.credit + static_cast<std::uint64_t>(plan_.banks) > exchange;
}

std::byte* endpoint::target_of(std::size_t put, std::uint64_t exchange) const {
  const planned_put& planned = plan_.puts[put];
  const std::size_t bank = plan_.bank_offset(planned, exchange);
  return machine_->share(window_, planned.target).data() + bank + planned.target_offset;
}

// The bytes are moved when a put is fired, which the rules of puts allow; the arrival is told when
// the messages have arrived.
bool endpoint::start(std::uint64_t exchange) {
  // A put that waits for room is tried again as often as the rank looks for that.
  if (record_.begun() != exchange || plan_.held->count != held_)
    machine_->note_call(rank_, {.what = call_site::start, .own = own_});
  held_ = plan_.held->count;
  machine_->charge_compute(rank_);
  if (!staging_.empty()) machine_->drain(rank_);
  if (record_.begun() != exchange) {
    record_.begin(exchange);
    machine_->ask(rank_, {.what = request::begin_exchange, .own = own_});
  }
  bool all = true, first = true;
  for (std::size_t put = 0; put < staging_.size(); ++put) {
    if (fired(put, exchange)) continue;
    if (!has_room(put, exchange) || plan_.held->has(plan_.puts[put].number)) {
      all = false;
      continue;
    }
    fire(put, exchange, first);
    first = false;
  }
  machine_->restart_clock(rank_);
  return all;
}

/// Windows lie far apart, so that a machine's tables of pages tell them apart.
void endpoint::fire(std::size_t put, std::uint64_t exchange, bool first) {
  const planned_put& planned = plan_.puts[put];
  const std::size_t bytes = plan_.size_of(planned);
  local_view source = plan_.sent_by(planned);
  if (source.data == nullptr && !direct(put))
    source = local_view::contiguous(std::span(staging_[put]).first(bytes));
  if (source.data != nullptr && source.bytes() > 0) copy_view(source, target_of(put, exchange));
  record_.puts()[put].fired = exchange;
  const std::uint64_t address =
      (std::uint64_t{window_} << 40) + plan_.bank_offset(planned, exchange) + planned.target_offset;
  machine_->ask(
      rank_, {.what = request::fire, .own = own_, .put = {put, exchange, bytes, address, first}});
}

bool endpoint::ready(std::uint64_t exchange) {
  for (std::size_t put = 0; put < staging_.size(); ++put)
    if (!has_room(put, exchange)) return false;
  return true;
}

bool endpoint::direct(std::size_t put) const {
  const planned_put& planned = plan_.puts[put];
  return planned.source.data == nullptr && !planned.needs_credit;
}

std::byte* endpoint::packing_memory(std::size_t put, std::uint64_t exchange) {
  return direct(put) ? target_of(put, exchange) : staging_[put].data();
}

std::string endpoint::describe(std::size_t put) const {
  const bool credit = plan_.puts[put].needs_credit;
  return text(machine_->describe(rank_, own_, put), credit ? ", with credit" : ", no credit");
}

}  // namespace onehop::virtual_machine
