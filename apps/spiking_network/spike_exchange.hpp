#pragma once
/// In every step ranks tell each other which of their neurons have fired.

#include "sheet.hpp"
#include "synapse_table.hpp"

#include <onehop/put_chain.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace spiking_network {

/// A rank has a put of variable size to each peer, with one number for each neuron that has fired
/// and has a synapse there. The numbers are written directly to the put's source, which on shm is
/// the peer's own memory. On most steps of a small network the puts have no bytes.
class spike_exchange {
 public:
  /// The constructor is collective. Throws as put_chain::commit does.
  spike_exchange(const sheet& columns, const synapse_table& synapses);

  /// Records that a neuron of this rank has fired, for the next start.
  void tell(neuron n, std::uint32_t local) noexcept;
  /// Sends the recorded spikes. Spikes of the next step may be recorded only after finish.
  void start();
  /// If there was a start, waits for the spikes of the peers and calls take(neurons) with those of
  /// each peer.
  template <class Take>
  void finish(const Take& take) {
    if (!is_under_way_) return;
    is_under_way_ = false;
    chain_.wait();
    for (const peer& from : peers_) take(arrived(from));
    aim();
  }

  /// Return how many spikes this rank has sent and received; a spike sent to two peers counts
  /// twice.
  std::uint64_t sent() const noexcept { return sent_; }
  std::uint64_t received() const noexcept { return received_; }

 private:
  struct peer {
    onehop::put_slot told_them;
    onehop::notification told_us;
    neuron* first = nullptr;
    neuron* next = nullptr;
  };
  /// These are the numbers at the beginning of a peer's memory in the window, one for each of its
  /// neurons with synapses here.
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
