#pragma once
/// This transport serves a rank whose targets are reached by stores.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "transport/base/transport.hpp"
#include "transport/stores/arena.hpp"
#include "transport/stores/channel_choice.hpp"
#include "transport/stores/control_block.hpp"
#include "transport/stores/region.hpp"

namespace onehop::stores {

/// An own_messages object manages the places of this rank's messages in its ring, each contiguous.
///
/// A rank that posts while the last `open` rounds are open has seen that all others entered the
/// round before those. Each has then read all messages before that round.
class own_messages {
 public:
  explicit own_messages(std::size_t ring_bytes) noexcept : ring_bytes_(ring_bytes) {}

  /// A place counts the bytes of the ring from the beginning of the job.
  struct range {
    std::uint64_t begin, end;
    std::size_t offset;  ///< where it begins in the ring
    std::size_t bytes() const noexcept { return end - begin; }
  };

  /// Returns how many rounds, at most `most`, may stay open if a message of `bytes` is next.
  std::size_t most_left_open(std::size_t bytes, std::size_t most) const noexcept {
    const std::uint64_t end = from(end_, bytes, used_ahead(bytes)).end;
    while (most > 0 && end - begin_[(rounds_ - most) % heads_per_rank] > ring_bytes_) --most;
    return most;
  }
  /// Returns where the next message would lie if `open` rounds are open.
  range next(std::size_t bytes, std::size_t open) const noexcept {
    if (bytes == 0) return {end_, end_, 0};
    // Others read the last message while this one is written, unless this rank runs ahead.
    return open > 0 ? from(end_, bytes, used_ahead(bytes))
                    : from(lap_ + rounded_up(end_ - lap_, spacing(bytes)), bytes, usual_ring_bytes);
  }
  /// Takes a place for a message of this tag.
  void take(range place, std::uint64_t tag) noexcept {
    history_ = bootstrap::history_after(history_, tag);
    begin_[++rounds_ % heads_per_rank] = place.begin;
    end_ = place.end;
    if (place.bytes() > 0) lap_ = place.begin - place.offset;
  }
  /// Returns the number of the last message, which is that of its round.
  std::uint64_t rounds() const noexcept { return rounds_; }
  /// Returns a number for the tags of all messages so far, in their order.
  std::uint64_t history() const noexcept { return history_; }

 private:
  static constexpr std::size_t most_short = 512;
  /// Only as much of the ring is used as is useful, so that it stays in the caches: short messages
  /// of all heads fit into a usual one.
  std::size_t used_ahead(std::size_t bytes) const noexcept {
    static_assert(heads_per_rank / 2 * most_short <= usual_ring_bytes);
    return bytes <= most_short ? usual_ring_bytes : ring_bytes_;
  }
  /// Writing a place is faster if it was last used many rounds ago. Short messages therefore lie
  /// closer to each other, which gives them more places.
  static constexpr std::size_t spacing(std::size_t bytes) noexcept {
    return bytes <= most_short ? most_short + line_bytes : message_spacing;
  }
  static std::uint64_t rounded_up(std::uint64_t value, std::size_t unit) noexcept {
    return (value + unit - 1) / unit * unit;
  }
  /// Returns the place of a message at `begin`. If it would go beyond the first `used` bytes of the
  /// ring, it moves to the beginning of the ring.
  range from(std::uint64_t begin, std::size_t bytes, std::size_t used) const noexcept {
    const std::size_t whole = rounded_up(bytes, line_bytes);
    if (begin - lap_ + whole > used) return {lap_ + ring_bytes_, lap_ + ring_bytes_ + whole, 0};
    return {begin, begin + whole, begin - lap_};
  }

  std::size_t ring_bytes_;
  std::array<std::uint64_t, heads_per_rank> begin_{};
  std::uint64_t lap_ = 0;  ///< where the ring began when it was last begun
  std::uint64_t end_ = 0, rounds_ = 0, history_ = 0;
};

class transport final : public onehop::transport, private bootstrap, private failure {
 public:
  /// The constructor takes the place of `rank` in the arena. Throws usage_error if it is taken. If
  /// the arena belongs to one machine of a larger job, messages call the rank `name`.
  transport(std::shared_ptr<arena> memory, int rank, int name);
  transport(std::shared_ptr<arena> memory, int rank) : transport(std::move(memory), rank, rank) {}
  /// This constructor makes the transport of `rank` of a group of `whole`, in a part of its arena.
  transport(std::shared_ptr<arena> part, int rank, transport& whole);
  ~transport() override;

  memory_id expose(std::span<const std::size_t> bytes_of_rank) override;
  void withdraw(memory_id memory) noexcept override;
  std::span<std::byte> local(memory_id memory) const override;

  std::size_t endpoint_bytes(const chain_plan& plan) const override;
  std::unique_ptr<onehop::endpoint> make_endpoint(chain_plan plan, memory_id window,
                                                  memory_id own) override;

  memory_id divide(const partition& how) override;
  std::shared_ptr<onehop::transport> join_group(memory_id divided, const partition& how) override;

  channel_choice* channels() noexcept override { return &choice_; }

 private:
  std::size_t round_bytes() const noexcept override {
    return crowded() ? longest_message : most_from_all;
  }
  std::size_t piece_bytes() const noexcept override { return longest_message; }
  void post(std::uint64_t tag, std::span<const std::byte> message) override;
  bool reads_in_place() const noexcept override { return true; }
  std::size_t most_left_open(std::size_t bytes) const noexcept override {
    constexpr std::size_t most = heads_per_rank / 2 - 1;
    return message_head::holds(bytes)
               ? most
               : messages_.most_left_open(bytes, std::min(most, left_open.size()));
  }
  posting posted(int rank, int before) override;
  bool agrees(int rank, int before) override;
  bool claim_round() override;
  void dispute_round(int before) override;

  void poll() override;
  void probe() override;
  void timed_out(std::string_view report) noexcept override {
    if (whole_ != nullptr) whole_->timed_out(report);
  }
  bool left(int rank) const noexcept override;
  void abandon(std::string_view reason) noexcept override;
  bool failed_first() const noexcept override {
    return whole_ == nullptr || whole_->failed_first();
  }

  /// Longer messages of all ranks are faster by chains, whose lines travel once. If ranks share
  /// cores, however, rounds are faster, because the ranks wait for each other less often.
  static constexpr std::size_t most_from_all = 2048;

  transport(std::shared_ptr<arena> memory, membership member, int name, transport* whole);

  /// Returns this rank's announcement of the round that it entered `before` rounds before the last.
  announcement said(int before) const noexcept {
    return {messages_.rounds() - static_cast<std::uint64_t>(before),
            static_cast<std::uint64_t>(rank())};
  }
  /// Returns whether another rank announced an open round like this and does not agree about it.
  bool differs(announcement what);

  std::shared_ptr<arena> arena_;
  control_block& control_;
  failure* whole_ = nullptr;  ///< whose failures count, of a group
  clock time_;
  exposed_blocks blocks_;
  measured_choice choice_;
  own_messages messages_;
  own_messages::range last_{};  ///< where the last message lies in the ring
};

}  // namespace onehop::stores
