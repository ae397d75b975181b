#pragma once
/// This endpoint fires a chain by storing into the targets' windows and then raising a flag there.
///
/// It is a template over the memory that ranks share. The model checker (tests/model) can therefore
/// run this very code in every order that the memory model allows. endpoint_plan.hpp and
/// endpoint_exchange.hpp define its functions.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/streaming.hpp"
#include "rma/copy_view.hpp"
#include "transport/base/transport.hpp"
#include "transport/stores/channel.hpp"
#include "transport/stores/control_block.hpp"
#include "transport/stores/first_look.hpp"
#include "transport/stores/region.hpp"
#include "transport/stores/signals.hpp"

namespace onehop::stores {

/// A line_range is memory of each bank.
struct line_range {
  std::byte* begin;  ///< first byte, in bank 0
  std::size_t bank_stride, bytes;

  std::byte* bank(std::uint64_t exchange) const { return begin + (exchange - 1) % 2 * bank_stride; }
};

/// line_hints names the lines that are prefetched once an exchange has arrived: the lines that
/// came, and those that the next exchange writes. They are only hints, which neither read nor
/// write.
class line_hints {
 public:
  line_hints() = default;
  /// `to_write` is memory at targets, `to_read` memory of what arrives here.
  line_hints(const std::vector<line_range>& to_write, const std::vector<line_range>& to_read);

  bool empty() const noexcept { return hints_.empty(); }
  /// Gives the hints once exchange `arrived` is complete and before anything of it is read.
  void give(std::uint64_t arrived) const noexcept;

 private:
  struct hint {
    line_range lines;
    bool to_write;
  };
  std::vector<hint> hints_;  ///< hints in the order in which they are given
};

/// A process reaches the other ranks' memory like its own.
struct process_memory {
  using blocks = exposed_blocks;
  using atomic = std::atomic<std::uint64_t>;  ///< what ranks tell each other of

  static void copy(const local_view& source, std::byte* target) noexcept {
    copy_view(source, target);
  }
  static void stream(const local_view& source, std::byte* target) noexcept {
    stream_view(source, target);
  }
  /// This separates streaming stores from the store that announces them.
  static void fence() noexcept { streaming_fence(); }
};

template <class Memory>
class endpoint_in final : public onehop::endpoint {
 public:
  using exposed = typename Memory::blocks;
  using atomic = typename Memory::atomic;
  using signals = signals_of<atomic>;
  using arrival_words = std::array<typename signals::word, 2>;

  /// `patience` says how the ranks of this transport wait for each other's lines.
  endpoint_in(const chain_plan& plan, const exposed& memory, const channel_table& table,
              const first_look& patience, int rank, memory_id window, memory_id own);

  bool start(std::uint64_t exchange) override;
  bool ready(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override;
  bool arrived(std::size_t arrival, std::uint64_t exchange) override;
  std::uint64_t last_arrived(std::size_t arrival) const override;
  std::size_t arrived_bytes(std::size_t arrival, std::uint64_t exchange) const override;
  bool source_free(std::size_t put, std::uint64_t exchange) override;
  std::optional<bool> complete(std::uint64_t exchange) override;
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  const std::byte* arrival_memory(std::size_t arrival, std::uint64_t exchange) const override;
  bool direct(std::size_t put) const override;
  bool streaming(std::size_t put) const override;
  std::string describe(std::size_t put) const override;

 private:
  struct outgoing {
    local_view source;
    std::byte* target;               ///< address in bank 0
    std::size_t bank_stride;         ///< distance of the banks, 0 for a window of one bank
    std::vector<std::byte> staging;  ///< memory for a packed put that may not be written ahead
    std::size_t bytes;
    int number;                                  ///< number among the puts of this rank
    std::size_t lane, place;                     ///< its lane, and its place there
    channel_table::step way{channel::plain, 0};  ///< channel of the put, and the bytes up to which
                                                 ///< it is chosen
    bool at_home = false;                        ///< the target is this rank
    bool in_turns = false;  ///< its second bank is where this rank has read what came back before
    /// A put of variable size has these: its bytes in the coming exchange, and the words at its
    /// target that say them.
    const std::size_t* size = nullptr;
    arrival_words* told = nullptr;

    std::byte* bank(std::uint64_t exchange) const {
      return target + (exchange - 1) % 2 * bank_stride;
    }
    /// Returns the bytes that the coming exchange copies.
    local_view view() const {
      return size == nullptr ? source : local_view{source.data, *size, 1, 0};
    }
    bool packed_in_place() const { return source.data == nullptr; }
  };
  /// A lane has all puts to one target, in the order of push.
  struct lane {
    int target;
    arrival_words* arrived;
    const atomic* credit;  ///< last exchange that the target has started; null
                           ///< when no credit is needed
    std::vector<std::size_t> puts;
    bool at_home = false;     ///< the target is this rank
    bool copies = false;      ///< not all puts are packed straight into the target
    bool demotes = false;     ///< some lines are demoted to the shared cache
    bool varies = false;      ///< some puts are of variable size
    bool streams = false;     ///< some stores are not ordered with the one to the count
    std::uint64_t fired = 0;  ///< the last exchange that was fired
    /// Counts the puts that have left in an exchange that is fired in part.
    std::size_t left = 0;

    atomic& count(std::uint64_t exchange) const { return (*arrived)[exchange % 2].value; }
  };
  /// An incoming is one of all arrivals from one origin.
  struct incoming {
    const arrival_words* arrived;
    std::uint64_t number, count;  ///< its place among them, and how many they are
    const arrival_words* own;     ///< word with the bytes of a put of variable size
    /// These places hold the data in odd (1) and even (0) exchanges; null means this rank's window.
    std::array<const std::byte*, 2> place = {};

    bool is_in(std::uint64_t exchange) const;
  };

  static signals& signals_at(const exposed& memory, memory_id id, int rank, std::size_t index);
  void add_put(const chain_plan& plan, const planned_put& put, const exposed& memory, int rank,
               memory_id window, memory_id own);
  void add_arrivals(const chain_plan& plan, const exposed& memory, int rank, memory_id own);
  /// Lets puts take turns with those that come back.
  void take_turns(const chain_plan& plan, const exposed& memory, int rank, memory_id window);
  /// Returns where puts of other ranks arrive here.
  std::vector<line_range> ghosts(const chain_plan& plan, const exposed& memory, int rank,
                                 memory_id window) const;
  void choose_channels(const channel_table& table, int rank, const std::vector<line_range>& ghosts);
  void prefetch_lines(std::uint64_t arrived) const;
  bool ready(const lane& to, std::uint64_t exchange) const;
  void fire(lane& to, std::uint64_t exchange);
  /// Fires the puts up to the first that is held back; returns true once all are fired.
  bool fire_part(lane& to, std::uint64_t exchange);
  void tell_size(const outgoing& put, std::uint64_t exchange) const;
  void raise_count(const lane& to, std::uint64_t exchange, std::size_t puts) const;
  void demote_lines(const outgoing& put, std::uint64_t exchange) const;
  /// Copies the put and returns the bytes moved.
  std::size_t copy(const outgoing& put, std::uint64_t exchange) const;

  std::uint64_t banks_;
  first_look patience_;
  std::size_t own_stride_;
  std::uint64_t begun_ = 0;
  std::shared_ptr<const held_puts> held_;
  std::vector<outgoing> puts_;
  std::vector<lane> lanes_;
  std::vector<incoming> arrivals_;
  std::vector<incoming> last_arrivals_;  ///< the last arrival from each origin
  line_hints hints_;
  std::vector<atomic*> credits_;  ///< where this rank's credit is stored, at
                                  ///< the origins that wait for one
};

using endpoint = endpoint_in<process_memory>;

}  // namespace onehop::stores
