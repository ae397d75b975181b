#pragma once
/// A persistent collective is made of stages, each an exchange by a put chain of its own and what
/// is done with what came.

#include <onehop/persistent_collective.hpp>

#include <functional>
#include <onehop/put_chain.hpp>
#include <vector>

#include "rma/device_channels.hpp"
#include "transport/base/transport.hpp"

namespace onehop {

/// A block_table says what goes between the ranks in one exchange. A rank that does not know what
/// others send to each other knows where its own blocks go.
struct block_table {
  std::function<std::size_t(int origin, int target)> size;
  std::function<std::span<const std::byte>(int target)> source;  ///< what this rank sends
  /// This returns where the block of this rank begins at another; without it that follows from the
  /// sizes.
  std::function<std::size_t(int target)> place = {};
};
/// Returns where the block of `origin` begins in the memory of `target`, or the end for the number
/// of ranks.
std::size_t place_in(const block_table& blocks, int origin, int target);

/// A stage is one exchange of a collective: a put to each rank that gets something.
class collective_stage {
 public:
  /// Blocks land in memory of the device of `on`; of the host where that is null.
  collective_stage(const context& ctx, const block_table& blocks, device_worker* on,
                   std::function<void(const collective_stage&)> take);

  /// Copies what came, or what is this rank's own; on a device in the order of its worker's stream.
  void copy(std::span<const std::byte> from, std::span<std::byte> to) const;
  /// Sets `into` to what the ranks from 0 to `last` give for it, combined in rank order; `own` is
  /// this rank's.
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
  std::unique_ptr<device_mirror> copies;  ///< copies of a device's memory, null without any
  std::string where = "in memory of the host";
  std::vector<collective_stage> stages = {};
  std::size_t now = 0;     ///< the stage under way
  bool started = false;    ///< it was started at least once
  bool awaited = false;    ///< it was started, and not waited for yet
  bool in_flight = false;  ///< a stage is yet to end, which may happen while it is not waited for
  bool begun = false;      ///< the stage under way was started
  bool copying = false;    ///< what is enqueued on the device is yet to be done
  bool busy = false;       ///< it is going on, and not to be called by what it calls

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
  /// Goes on as far as it can without waiting.
  void advance();
  bool progress() override;
};

/// Collective. Finds who does it: the devices, the host on copies of their memory, or the host.
/// Throws usage_error where another rank makes another call. `combine` is null where nothing is
/// combined.
std::unique_ptr<persistent_collective::state> begin_collective(
    const context& ctx, const char* name, std::uint64_t tag,
    const std::vector<mirrored_part>& parts, const combiner* combine);

}  // namespace onehop
