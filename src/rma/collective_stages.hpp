#pragma once
/// A persistent collective consists of stages. A stage is an exchange by a put chain of its own,
/// and then the work on the data that arrived.

#include <onehop/persistent_collective.hpp>

#include <functional>
#include <onehop/put_chain.hpp>
#include <vector>

#include "rma/device_channels.hpp"
#include "transport/base/transport.hpp"

namespace onehop {

/// A block_table says which blocks the ranks send to each other in one exchange. A rank that does
/// not know what others send to each other must know where its own blocks are placed.
struct block_table {
  std::function<std::size_t(int origin, int target)> size;
  std::function<std::span<const std::byte>(int target)> source;  ///< what this rank sends
  /// This returns where this rank's block begins at another rank. If it is not given, the place
  /// follows from the sizes.
  std::function<std::size_t(int target)> place = {};
};
/// Returns where the block of `origin` begins in the memory of `target`. For an `origin` equal to
/// the number of ranks it returns the end.
std::size_t place_in(const block_table& blocks, int origin, int target);

/// A stage is one exchange of a collective. It has one put to each rank that receives anything.
class collective_stage {
 public:
  /// Blocks land in memory of the device of `on`, or of the host if `on` is null.
  collective_stage(const context& ctx, const block_table& blocks, device_worker* on,
                   std::function<void(const collective_stage&)> take);

  /// Copies an arrived block or this rank's own. On a device, the copy is ordered on its worker's
  /// stream.
  void copy(std::span<const std::byte> from, std::span<std::byte> to) const;
  /// Sets `into` to the values that the ranks from 0 to `last` give for it, combined in rank order.
  /// `own` holds this rank's values.
  void combine_up_to(std::span<const std::byte> own, std::span<std::byte> into, const combiner& how,
                     int last) const;

  put_chain& chain() { return chain_; }
  std::span<const std::byte> arrived(int rank) const {
    return chain_.arrived(from_[static_cast<std::size_t>(rank)]);
  }
  void take() { take_(*this); }

 private:
  context ctx_;
  device_worker* on_;
  std::function<void(const collective_stage&)> take_;
  put_chain chain_;
  std::vector<notification> from_;
};

struct persistent_collective::state final : private progress_task {
  context ctx;
  const char* name;
  std::unique_ptr<device_worker> worker;  ///< does all of it on a device; null where the host does
  std::unique_ptr<device_mirror> copies;  ///< copies of a device's memory; null if none are used
  std::string where = "in memory of the host";
  std::vector<collective_stage> stages = {};
  std::size_t now = 0;     ///< index of the current stage
  bool started = false;    ///< it was started at least once
  bool awaited = false;    ///< it was started, and not waited for since
  bool in_flight = false;  ///< a stage may still end, even while nobody waits for it
  bool begun = false;      ///< the current stage was started
  bool copying = false;    ///< work enqueued on the device is not yet done
  bool busy = false;       ///< set while it runs, so that what it calls cannot call it

  state(const context& job, const char* what) : ctx(job), name(what) {}
  ~state() { transport_of(ctx).tasks().remove(*this); }

  void add(const block_table& blocks, std::function<void(const collective_stage&)> take) {
    stages.emplace_back(ctx, blocks, worker.get(), std::move(take));
  }
  void start();
  void wait();
  bool test();

 private:
  void start_on_device();
  void finish_stage();
  void finish_copies();
  bool device_is_done() const { return worker ? worker->done() : copies->done(); }
  void await_device();
  /// Proceeds as far as possible without waiting.
  void advance();
  bool progress() override;
};

/// Collective. Decides who does the work: the devices, the host on copies of their memory, or the
/// host alone. Throws usage_error if another rank makes a different call. `combine` is null if
/// nothing is combined.
std::unique_ptr<persistent_collective::state> begin_collective(
    const context& ctx, const char* name, std::uint64_t tag,
    const std::vector<mirrored_part>& parts, const combiner* combine);

}  // namespace onehop
