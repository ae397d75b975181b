#include "spike_exchange.hpp"

#include <onehop/collectives.hpp>
#include <onehop/window.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace spiking_network {
namespace {

constexpr std::size_t line_bytes = 64;

/// A put has room for at least one number.
std::size_t bytes_of(std::uint64_t neurons) {
  return std::max<std::uint64_t>(neurons, 1) * sizeof(neuron);
}

}  // namespace

spike_exchange::spike_exchange(const sheet& columns, const synapse_table& synapses)
    : spike_exchange(columns, rooms_for(columns, synapses)) {}

/// Every peer's memory begins at the start of a cache line; an additional entry without neurons
/// marks the end.
std::vector<spike_exchange::room> spike_exchange::rooms_for(const sheet& columns,
                                                            const synapse_table& synapses) {
  std::vector<room> rooms(columns.peers().size() + 1);
  for (std::uint32_t source = 0; source < columns.sources(); ++source) {
    const synapse_run all = synapses.all(source);
    const int rank = columns.owner(columns.source_at(source) / columns.settings().neurons);
    const auto found = std::ranges::lower_bound(columns.peers(), rank);
    if (all.begin < all.end && found != columns.peers().end() && *found == rank)
      ++rooms[static_cast<std::size_t>(found - columns.peers().begin())].neurons;
  }
  for (std::size_t k = 1; k < rooms.size(); ++k)
    rooms[k].offset = rooms[k - 1].offset +
                      (bytes_of(rooms[k - 1].neurons) + line_bytes - 1) / line_bytes * line_bytes;
  return rooms;
}

spike_exchange::spike_exchange(const sheet& columns, const std::vector<room>& rooms)
    : peers_(columns.peers().size()),
      chain_(columns.ranks().context(),
             onehop::window::allocate(columns.ranks().context(), rooms.back().offset)) {
  find_listeners(columns);
  commit(columns, rooms);
  aim();
}

void spike_exchange::find_listeners(const sheet& columns) {
  std::vector<std::uint16_t> bits(columns.settings().columns());
  if (peers_.size() > 8 * sizeof bits.front())
    throw std::logic_error("a column reaches more ranks than it has directions and distances");
  for (std::size_t k = 0; k < peers_.size(); ++k)
    for (const std::uint32_t column : columns.heard())
      if (columns.owner(column) == columns.peers()[k])
        bits[column] = static_cast<std::uint16_t>(1U << k);
  listeners_.resize(columns.own_neurons());
  for (std::uint32_t local = 0; local < columns.own_neurons(); ++local)
    for (std::uint32_t number = 0; number < columns.settings().synapses; ++number) {
      const synapse made = columns.synapses().at(columns.neuron_at(local), number);
      listeners_[local] |= bits[made.target / columns.settings().neurons];
    }
}

/// Each rank tells its peers where to write their spikes. Both sides know how many there can be,
/// because both know the whole wiring.
void spike_exchange::commit(const sheet& columns, const std::vector<room>& rooms) {
  std::vector<std::span<const room>> lists;
  for (std::size_t k = 0; k < peers_.size(); ++k) lists.emplace_back(&rooms[k], 1);
  const auto theirs =
      onehop::sparse_exchange<room>(columns.ranks().context(), columns.peers(), lists);
  for (std::size_t k = 0; k < peers_.size(); ++k) {
    const room& there = theirs.at(k).values.at(0);
    const auto mine =
        std::ranges::count_if(listeners_, [k](unsigned bits) { return (bits >> k & 1U) != 0; });
    if (theirs[k].origin != columns.peers()[k] || there.neurons != static_cast<std::uint64_t>(mine))
      throw std::logic_error("two ranks disagree on the synapses between them");
    peers_[k].told_them = chain_.push(
        onehop::put::packed_up_to(bytes_of(there.neurons), columns.peers()[k], there.offset));
    peers_[k].told_us = chain_.add_origin(columns.peers()[k]);
  }
  chain_.commit();
}

void spike_exchange::aim() {
  for (peer& to : peers_)
    to.first = to.next = reinterpret_cast<neuron*>(chain_.target_view(to.told_them).data());
}

void spike_exchange::tell(neuron n, std::uint32_t local) noexcept {
  for (unsigned bits = listeners_[local]; bits != 0; bits &= bits - 1)
    *peers_[static_cast<std::size_t>(std::countr_zero(bits))].next++ = n;
}

void spike_exchange::start() {
  for (const peer& to : peers_) {
    const auto count = static_cast<std::size_t>(to.next - to.first);
    chain_.set_bytes(to.told_them, count * sizeof(neuron));
    sent_ += count;
  }
  chain_.start();
  is_under_way_ = true;
}

std::span<const neuron> spike_exchange::arrived(const peer& from) {
  const auto bytes = chain_.arrived(from.told_us);
  received_ += bytes.size() / sizeof(neuron);
  return {reinterpret_cast<const neuron*>(bytes.data()), bytes.size() / sizeof(neuron)};
}

}  // namespace spiking_network
