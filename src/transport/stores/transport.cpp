#include "transport/stores/transport.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "machine/streaming.hpp"
#include "transport/stores/endpoint.hpp"
#include "transport/stores/lines.hpp"

namespace onehop::stores {
namespace {

/// At most this much of a message is prefetched, because a longer message is seldom followed by one
/// of the same length.
constexpr std::size_t most_prefetched_bytes = 256;

/// If cores are far from each other, a message of at least this size is stored past the caches.
constexpr std::size_t least_streamed_bytes = 1024;

membership member_of(const arena& memory, int rank) {
  const control_block& control = control_in(memory);
  return {rank, control.ranks, std::string(memory.name()), control.ranks > control.cores};
}

}  // namespace

transport::transport(std::shared_ptr<arena> memory, membership member, int name, transport* whole)
    : onehop::transport(std::move(member), *this, time_, *this),
      arena_(std::move(memory)),
      control_(control_in(*arena_)),
      whole_(whole),
      time_(crowded()),
      blocks_(*arena_, rank(), control_.bytes(), arena_->bytes()),
      choice_(whole == nullptr ? measured_choice(control_.ranks, crowded()) : whole->choice_),
      messages_(control_.ring_bytes) {
  control_.take_place(rank(), name);
}

transport::transport(std::shared_ptr<arena> memory, int rank, int name)
    : transport(memory, member_of(*memory, rank), name, nullptr) {}

// The other ranks of the whole may be as busy as those of the group, so the group is as crowded.
transport::transport(std::shared_ptr<arena> part, int rank, transport& whole)
    : transport(part, {rank, control_in(*part).ranks, std::string(part->name()), whole.crowded()},
                whole.control_.rank(whole.rank()).name, &whole) {}

transport::~transport() {
  if (forked()) return;
  // Release is needed, so that what this rank sent is visible to whoever sees it gone.
  control_.rank(rank()).state.store(rank_record::left, std::memory_order_release);
}

void transport::post(std::uint64_t tag, std::span<const std::byte> message) {
  const bool fits = message_head::holds(message.size());
  last_ = messages_.next(fits ? 0 : message.size(), left_open.size());
  messages_.take(last_, tag);
  message_head& head = control_.head(rank(), messages_.rounds());
  std::byte* const ring = control_.ring(rank());
  if (!fits) {
    std::byte* const place = ring + last_.offset;
    if (message.size() >= least_streamed_bytes && choice_.cores_are_far()) {
      streaming_copy(place, message.data(), message.size());
      streaming_fence();
    } else {
      copy_bytes(place, message.data(), message.size());
    }
  }
  // The line at which others look is written last and at once. Otherwise they would take it away
  // between two stores while these wait for another line.
  const std::size_t first = fits ? std::min(message.size(), message_head::in_first_line) : 0;
  if (fits && message.size() > first)
    copy_bytes(head.data.data() + first, message.data() + first, message.size() - first);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  head.tag = tag;
  head.history = messages_.history();
  if (first > 0) copy_bytes(head.data.data(), message.data(), first);
  const std::uint64_t line = fits ? announcement::in_head : last_.offset / line_bytes;
  // Release is needed, so that the message is there before it is announced. All ranks have read
  // what the place held before, because each has posted again.
  head.announced.store(announcement(messages_.rounds(), line).word(), std::memory_order_release);
  if (control_.ranks == 1) return;
  const std::size_t in_head = fits && message.size() > first ? sizeof head : line_bytes;
  const bool is_hinted = last_.bytes() <= most_prefetched_bytes;
  if (is_hinted) demote(reinterpret_cast<const std::byte*>(&head), in_head);
  // All ranks have read the next head and the next place. If their lines are prefetched now, they
  // are back before they are written again.
  const message_head& next = control_.head(rank(), messages_.rounds() + 1);
  prefetch_for_write(reinterpret_cast<const std::byte*>(&next), in_head);
  if (!fits && is_hinted) {
    demote(ring + last_.offset, last_.bytes());
    prefetch_for_write(ring + messages_.next(last_.bytes(), left_open.size()).offset,
                       last_.bytes());
  }
  choice_.at_messages().begin();
}

bootstrap::posting transport::posted(int rank, int before) {
  // A post from a core nearby arrives sooner than a caller can look around.
  constexpr int eager_looks = 100;
  const std::uint64_t round = messages_.rounds() - static_cast<std::uint64_t>(before);
  const message_head& head = control_.head(rank, round);
  const std::byte* const ring = control_.ring(rank);
  while (!choice_.at_messages().over()) {
  }
  // The second line is fetched together with the first instead of after a look at it. If short
  // messages do not use it, it is in the cache already.
  __builtin_prefetch(head.data.data() + message_head::in_first_line);
  // Ranks that post messages of equal size have them at the same place. Their lines are fetched
  // together with the head instead of after a look at it.
  if (last_.bytes() > 0)
    prefetch_for_read(ring + last_.offset, std::min(last_.bytes(), most_prefetched_bytes));
  // Ranks that share cores run one after the other, so the heads of later rounds are often written
  // already.
  constexpr std::uint64_t rounds_prefetched = 4;
  if (crowded()) __builtin_prefetch(&control_.head(rank, round + rounds_prefetched));
  // Acquire is needed, so that the message is read after its announcement.
  announcement here(head.announced.load(std::memory_order_acquire));
  for (int look = 1; !here.is_of(round); ++look) {
    if (look >= eager_looks || crowded()) return {};
    here = announcement(head.announced.load(std::memory_order_acquire));
  }
  return {head.tag, here.line() == announcement::in_head ? head.data.data()
                                                         : ring + here.line() * line_bytes};
}

bool transport::agrees(int rank, int before) {
  const std::uint64_t round = messages_.rounds() - static_cast<std::uint64_t>(before);
  const message_head& theirs = control_.head(rank, round);
  // Acquire is needed, so that the history is read after its announcement.
  return announcement(theirs.announced.load(std::memory_order_acquire)).is_of(round) &&
         theirs.history == control_.head(this->rank(), round).history;
}

// Relaxed is enough here and below, because a rank that looks at the round itself waits for its
// messages.
bool transport::claim_round() {
  const announcement claimed(control_.claimed.load(std::memory_order_relaxed));
  const announcement disputed(control_.disputed.load(std::memory_order_relaxed));
  // An exchange instruction would wait until the message's line comes from the other cores.
  control_.claimed.store(said(0).word(), std::memory_order_relaxed);
  return differs(claimed) || differs(disputed);
}

void transport::dispute_round(int before) {
  control_.disputed.store(said(before).word(), std::memory_order_relaxed);
}

bool transport::differs(announcement what) {
  const auto other = static_cast<int>(what.line());
  if (what.round() == 0 || other == rank()) return false;
  const std::uint64_t before = messages_.rounds() - std::min(messages_.rounds(), what.round());
  return before < left_open.size() && !agrees(other, static_cast<int>(before));
}

memory_id transport::expose(std::span<const std::size_t> bytes_of_rank) {
  return blocks_.expose(bytes_of_rank);
}
void transport::withdraw(memory_id memory) noexcept { blocks_.withdraw(memory); }
std::span<std::byte> transport::local(memory_id memory) const {
  return blocks_.share(memory, rank());
}

std::size_t transport::endpoint_bytes(const chain_plan& plan) const { return signal_bytes(plan); }
std::unique_ptr<onehop::endpoint> transport::make_endpoint(chain_plan plan, memory_id window,
                                                           memory_id own) {
  return std::make_unique<endpoint>(plan, blocks_, choice_.table(), choice_.at_flags(), rank(),
                                    window, own);
}

memory_id transport::divide(const partition& how) {
  const std::size_t ring_bytes = control_.ring_bytes;
  const memory_id id = blocks_.set_aside(
      how, [ring_bytes](int ranks) { return control_block::bytes(ranks, ring_bytes); });
  if (const std::vector<int> members = how.members(); !members.empty() && members[0] == rank()) {
    const std::span<std::byte> range = blocks_.share(id, rank());
    control_block::create(range.data(), static_cast<int>(members.size()), range.size(), ring_bytes);
  }
  return id;
}

std::shared_ptr<onehop::transport> transport::join_group(memory_id divided, const partition& how) {
  const std::span<std::byte> range = blocks_.share(divided, how.members().front());
  const auto offset = static_cast<std::size_t>(range.data() - arena_->base());
  return std::make_shared<transport>(part_of(arena_, offset, range.size()), how.number_of(rank()),
                                     *this);
}

void transport::poll() {
  if (whole_ != nullptr) return whole_->poll();
  if (control_.failure.is_written()) throw peer_error(control_.failure.message());
}

void transport::probe() {
  if (whole_ != nullptr) return whole_->probe();
  poll();
  arena_->probe(rank());
}

bool transport::left(int rank) const noexcept {
  // Acquire pairs with the release of the rank that left.
  return control_.rank(rank).state.load(std::memory_order_acquire) == rank_record::left;
}

void transport::abandon(std::string_view reason) noexcept {
  if (whole_ != nullptr) return whole_->abandon(reason);
  control_.failure.write(control_.rank(rank()).name, reason);
}

}  // namespace onehop::stores
