#include "transport/virtual/chain_record.hpp"

#include <type_traits>

namespace onehop::virtual_machine {

// Zero bytes are a record in its first state, and what follows it is aligned.
static_assert(std::is_trivially_copyable_v<chain_record>);
static_assert(alignof(chain_record) == alignof(put_record) &&
              alignof(put_record) == alignof(arrival_record));

std::size_t chain_record::bytes_for(const chain_plan& plan) {
  return sizeof(chain_record) + plan.puts.size() * sizeof(put_record) +
         plan.arrivals.size() * sizeof(arrival_record);
}

chain_record& chain_record::write(std::span<std::byte> memory, const chain_plan& plan) {
  chain_record& made = at(memory);
  made.put_count_ = plan.puts.size();
  made.arrival_count_ = plan.arrivals.size();
  for (std::size_t n = 0; n < plan.puts.size(); ++n) {
    const planned_put& put = plan.puts[n];
    put_record& record = made.puts()[n];
    record.target = put.target;
    record.arrival = put.arrival;
    record.bytes = put.source.bytes();
    record.rows = put.source.blocks;
    record.needs_credit = put.needs_credit ? 1 : 0;
  }
  for (std::size_t n = 0; n < plan.arrivals.size(); ++n) {
    const planned_arrival& arrival = plan.arrivals[n];
    arrival_record& record = made.arrivals()[n];
    record.origin = arrival.origin;
    record.put = arrival.put;
    record.gives_credit = arrival.gives_credit ? 1 : 0;
  }
  return made;
}

void chain_record::begin(std::uint64_t exchange) noexcept {
  begun_ = exchange;
  free_ = 0;
  // The next exchange cannot have brought anything before this one began.
  here_[(exchange + 1) % 2] = 0;
}

void chain_record::note_free(std::size_t put, std::uint64_t exchange) {
  puts()[put].free = exchange;
  ++free_;
}

void chain_record::note_arrival(std::size_t arrival, std::uint64_t exchange, std::uint64_t bytes) {
  arrival_record& record = arrivals()[arrival];
  record.bytes[exchange % 2] = bytes;
  record.exchange[exchange % 2] = exchange;
  ++here_[exchange % 2];
}

}  // namespace onehop::virtual_machine
