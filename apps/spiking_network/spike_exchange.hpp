#pragma once
/// Ranks tell each other in every step which of their neurons have fired.

#include "sheet.hpp"
#include "synapse_table.hpp"

#include <onehop/put_chain.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace spiking_network {

/// A rank has a put of variable size to each peer, of a number for each neuron that has fired and
/// has a synapse there. It is written where the put takes it from, on shm in the peer's own memory;
/// on most steps of a small network the puts have no bytes.
class spike_exchange {
 public:
  /// The constructor is collective. Throws as put_chain::commit does.
  spike_exchange(const sheet& columns, const synapse_table& synapses);

  /// Keeps for the next start that a neuron of this rank has fired.
  void tell(neuron n, std::uint32_t local) noexcept;
  /// Sends what was told. Spikes of the next step may be told only after finish.
  void start();
  /// Waits for what the peers have sent, where there was a start, and calls take(neurons) with
  /// what each has.
  template <class Take>
  void finish(const Take& take) {
    if (!is_under_way_) return;
    is_under_way_ = false;
    chain_.wait();
    for (const peer& from : peers_) take(arrived(from));
    aim();
  }

  /// Return how many spikes this rank has sent and received, a spike to two peers counted twice.
  std::uint64_t sent() const noexcept { return sent_; }
  std::uint64_t received() const noexcept { return received_; }

 private:
  struct peer {
    onehop::put_slot told_them;
    onehop::notification told_us;
    neuron* first = nullptr;
    neuron* next = nullptr;
  };
  /// The first bytes of a peer's room in the window are those of its neurons with synapses here.
  struct room {
    std::uint64_t offset = 0, neurons = 0;
  };

  spike_exchange(const sheet& columns, const std::vector<room>& rooms);
  static std::vector<room> rooms_for(const sheet& columns, const synapse_table& synapses);
  void find_listeners(const sheet& columns);
  void commit(const sheet& columns, const std::vector<room>& rooms);
  void aim();
  std::span<const neuron> arrived(const peer& from);

  std::vector<peer> peers_;               ///< in the order of sheet::peers
  std::vector<std::uint16_t> listeners_;  ///< by neuron of this rank, a bit for each peer
  onehop::put_chain chain_;
  bool is_under_way_ = false;
  std::uint64_t sent_ = 0, received_ = 0;
};

}  // namespace spiking_network
