/// These halo exchanges are written by hand with stores and flags, in the fastest known ways for
/// shared memory; chains are compared with them.

#include "benchmarks/hand_memory.hpp"
#include "benchmarks/make.hpp"
#include "benchmarks/touched_halo.hpp"
#include "measure/rotation.hpp"
#include "transport/stores/lines.hpp"

namespace onehop::bench {
namespace {

constexpr std::size_t flag_bytes = 4096;

/// hand_base has two banks of ghosts behind the flags. The exchange is symmetric, so that no
/// acknowledgement is needed. There is one flag for each neighbour: flag 0 is raised by the
/// previous rank and flag 1 by the next one. With a single neighbour, flag 0 serves both.
class hand_base {
 public:
  hand_base(const context& ctx, const cell& what)
      : faces_{ctx.rank(), ctx.size(), what.face_bytes},
        bank_bytes_(faces_.offset(faces_.count())),
        memory_(ctx, flag_bytes + 2 * bank_bytes_) {
    for (std::size_t f = 0; f <= faces_.count(); ++f) offsets_.push_back(faces_.offset(f));
  }

  const ring_faces& faces() const { return faces_; }
  std::string describe() const { return {}; }
  void wait() {
    memory_.await(memory_.flag(faces_.rank, 0).value, step_);
    if (faces_.size > 2) memory_.await(memory_.flag(faces_.rank, 1).value, step_);
  }
  void release() {}
  static constexpr bool streams() { return false; }

 protected:
  /// Returns face `face` of the bank of exchange `step` at `rank`.
  std::span<std::byte> ghost(int rank, std::size_t face, std::uint64_t step) const {
    return {memory_.of(rank) + flag_bytes + step % 2 * bank_bytes_ + offsets_[face],
            faces_.bytes[face]};
  }
  void raise() {
    memory_.flag(faces_.after(), 0).value.store(step_, std::memory_order_release);
    if (faces_.size > 2)
      memory_.flag(faces_.before(), 1).value.store(step_, std::memory_order_release);
  }

  ring_faces faces_;
  std::size_t bank_bytes_;
  std::vector<std::size_t> offsets_;
  hand_memory memory_;
  std::uint64_t step_ = 0;  ///< the last step started
};

/// hand_plain makes plain stores directly into the neighbour's ghosts.
class hand_plain : public hand_base {
 public:
  using hand_base::hand_base;
  std::string name() const { return "plain"; }
  std::span<std::byte> sending(std::size_t face) const {
    return ghost(faces_.target(face), face, step_ + 1);
  }
  std::span<const std::byte> received(std::size_t face) const {
    return ghost(faces_.rank, face, step_);
  }
  void start() {
    ++step_;
    raise();
  }
};

/// hand_prefetch makes plain stores. As soon as all faces have arrived, the writer prefetches the
/// lines that it will write next, which the neighbour has read in the previous exchange.
class hand_prefetch : public hand_plain {
 public:
  using hand_plain::hand_plain;
  std::string name() const { return "prefetch"; }
  void wait() {
    hand_plain::wait();
    for (std::size_t f = 0; f < faces_.count(); ++f) {
      const auto next = sending(f);
      stores::prefetch_for_write(next.data(), next.size());
    }
  }
};

/// hand_turns prefetches the lines that it will write alternately with the lines that have arrived
/// and are about to be read.
class hand_turns : public hand_plain {
 public:
  using hand_plain::hand_plain;
  std::string name() const { return "prefetch-turns"; }
  void wait() {
    constexpr std::size_t turn = 8 * stores::line_bytes;
    hand_plain::wait();
    for (std::size_t f = 0; f < faces_.count(); ++f) {
      const auto next = sending(f);
      const auto here = received(f);
      for (std::size_t at = 0; at < next.size(); at += turn) {
        const std::size_t bytes = std::min(turn, next.size() - at);
        stores::prefetch_for_write(next.data() + at, bytes);
        stores::prefetch_for_read(here.data() + at, bytes);
      }
    }
  }
};

/// hand_demote prefetches early, and demotes the written lines to the cache that both ranks share.
class hand_demote : public hand_prefetch {
 public:
  using hand_prefetch::hand_prefetch;
  std::string name() const { return "demote"; }
  void start() {
    for (std::size_t f = 0; f < faces_.count(); ++f) {
      const auto written = sending(f);
      stores::demote(written.data(), written.size());
    }
    hand_plain::start();
  }
};

/// hand_streaming makes streaming stores directly into the neighbour's ghosts.
class hand_streaming : public hand_plain {
 public:
  using hand_plain::hand_plain;
  std::string name() const { return "streaming"; }
  static constexpr bool streams() { return true; }
  void start() {
    ++step_;
    streaming_fence();
    raise();
  }
};

/// hand_pull makes plain stores into its own memory, which the neighbour reads in place.
class hand_pull : public hand_base {
 public:
  using hand_base::hand_base;
  std::string name() const { return "pull"; }
  std::span<std::byte> sending(std::size_t face) const {
    return ghost(faces_.rank, face, step_ + 1);
  }
  std::span<const std::byte> received(std::size_t face) const {
    return ghost(faces_.origin(face), face, step_);
  }
  void start() {
    ++step_;
    raise();
  }
};

/// hand_in_turns writes where it has just read: a face and the one that comes back share two
/// places, one on either rank, and swap them with every exchange.
class hand_in_turns : public hand_plain {
 public:
  using hand_plain::hand_plain;
  std::string name() const { return "in-turns"; }
  std::span<std::byte> sending(std::size_t face) const {
    return first() ? place(faces_.rank, back(face)) : place(faces_.target(face), face);
  }
  std::span<const std::byte> received(std::size_t face) const {
    return first() ? place(faces_.rank, face) : place(faces_.origin(face), back(face));
  }

 private:
  /// Returns whether the last exchange that was started has an odd number, counted from one.
  bool first() const { return step_ % 2 == 1; }
  std::span<std::byte> place(int rank, std::size_t face) const { return ghost(rank, face, 0); }
  /// Returns the face that arrives from the rank to which this one goes.
  std::size_t back(std::size_t face) const {
    return faces_.target(face) == faces_.origin(face) ? face : face ^ 1U;
  }
};

/// hand_copy writes faces to private memory and copies them to the neighbour's ghosts.
template <bool Streaming>
class hand_copy : public hand_plain {
 public:
  hand_copy(const context& ctx, const cell& what) : hand_plain(ctx, what), own_(bank_bytes_, 1) {}
  std::string name() const { return Streaming ? "copy-streaming" : "copy"; }
  std::span<std::byte> sending(std::size_t face) {
    return own_[0].subspan(offsets_[face], faces_.bytes[face]);
  }
  void start() {
    ++step_;
    for (std::size_t f = 0; f < faces_.count(); ++f) {
      const auto from = sending(f), to = ghost(faces_.target(f), f, step_);
      if constexpr (Streaming)
        streaming_copy(to.data(), from.data(), from.size());
      else
        std::memcpy(to.data(), from.data(), from.size());
    }
    if constexpr (Streaming) streaming_fence();
    raise();
  }

 private:
  measure::rotation own_;
};

template <class Exchange>
void add(contenders& list, const context& ctx, const cell& what) {
  std::vector<Exchange> turns;
  for (std::size_t i = 0; i < what.turns(); ++i) turns.emplace_back(ctx, what);
  list.push_back(std::make_unique<touched_halo<Exchange>>(std::move(turns)));
}

}  // namespace

void add_hand_halos(contenders& list, const context& ctx, const cell& what) {
  add<hand_plain>(list, ctx, what);
  add<hand_prefetch>(list, ctx, what);
  add<hand_turns>(list, ctx, what);
  add<hand_demote>(list, ctx, what);
  add<hand_pull>(list, ctx, what);
  // If a ring has an odd number of faces, none comes back for the last one.
  if (ctx.size() == 2 || what.face_bytes.size() % 2 == 0) add<hand_in_turns>(list, ctx, what);
  add<hand_copy<false>>(list, ctx, what);
  if (!has_streaming_stores) return;
  add<hand_streaming>(list, ctx, what);
  add<hand_copy<true>>(list, ctx, what);
}

}  // namespace onehop::bench
