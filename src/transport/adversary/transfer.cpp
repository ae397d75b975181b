#include "transport/adversary/transfer.hpp"

#include <algorithm>
#include <cstring>

namespace onehop::adversary {
namespace {

/// Fills `out` with the bytes of `source`, laid end to end, starting at byte `begin` of them.
void copy_part(const local_view& source, std::size_t begin, std::span<std::byte> out) {
  while (!out.empty()) {
    const std::size_t block = begin / source.block_bytes, within = begin % source.block_bytes;
    const std::size_t count = std::min(out.size(), source.block_bytes - within);
    const auto jump = static_cast<std::ptrdiff_t>(block) * source.stride_bytes;
    std::memcpy(out.data(), source.data + jump + static_cast<std::ptrdiff_t>(within), count);
    begin += count;
    out = out.subspan(count);
  }
}

}  // namespace

transfer::transfer(job& shared, const route& way, std::shared_ptr<outbox> origin,
                   const local_view& source, std::span<std::byte> target, bool packed_in_place,
                   std::span<std::byte> staging)
    : job_(shared),
      way_(way),
      origin_(std::move(origin)),
      source_(source),
      target_(target),
      staging_(staging),
      in_place_(packed_in_place),
      at_once_(shared.progress.chance(shared.progress.perturbed().at_once)) {
  ++origin_->under_way;
  ++job_.at(way_.target).incoming[way_.window];
}

void transfer::cut(std::uint64_t most_pieces) {
  scheduler& dice = job_.progress;
  for (std::uint64_t i = dice.draw(most_pieces); i > 0; --i)
    ends_.push_back(1 + dice.draw(target_.size()));
  ends_.push_back(target_.size());
  std::ranges::sort(ends_);
  const auto repeated = std::ranges::unique(ends_);
  ends_.erase(repeated.begin(), repeated.end());
}

void transfer::begin() {
  scheduler& dice = job_.progress;
  const moment delay = dice.perturbed().put_delay;
  if (in_place_) {
    then(delay, &transfer::notify);
    then(delay, &transfer::finish_reading);
    return;
  }
  bytes_.resize(target_.size());
  cut(dice.perturbed().pieces);
  unread_ = undelivered_ = ends_.size();
  const std::uint64_t order = dice.draw(3);  // any order, front first, or tail first
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const moment place = order == 0 ? 0 : order == 1 ? i : ends_.size() - i;
    if (at_once_)
      read(i);
    else
      job_.send(place * delay + dice.delay(delay), way_.origin, way_.target,
                [self = shared_from_this(), i] { self->read(i); });
  }
}

void transfer::then(moment longest, void (transfer::*step)()) {
  if (at_once_) return (this->*step)();
  job_.send(job_.progress.delay(longest), way_.origin, way_.target,
            [self = shared_from_this(), step] { ((*self).*step)(); });
}

void transfer::read(std::size_t piece) {
  // The source may be gone with the endpoint; bytes that were not read before are never sent.
  if (!origin_->alive) return;
  const std::size_t begin = piece == 0 ? 0 : ends_[piece - 1];
  copy_part(source_, begin, std::span(bytes_).subspan(begin, ends_[piece] - begin));
  if (--unread_ == 0) then(job_.progress.perturbed().put_delay, &transfer::finish_reading);
  if (at_once_) return deliver(piece);
  job_.send(job_.progress.delay(job_.progress.perturbed().put_delay), way_.origin, way_.target,
            [self = shared_from_this(), piece] { self->deliver(piece); });
}

void transfer::finish_reading() {
  if (!origin_->alive) return;
  poison(staging_);
  origin_->free[way_.put] = way_.exchange;
  job_.wake(way_.origin);
}

void transfer::deliver(std::size_t piece) {
  const std::size_t begin = piece == 0 ? 0 : ends_[piece - 1];
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(begin), ends_[piece] - begin,
              target_.begin() + static_cast<std::ptrdiff_t>(begin));
  if (--undelivered_ == 0) then(job_.progress.perturbed().word_delay, &transfer::notify);
}

void transfer::notify() {
  --origin_->under_way;
  --job_.at(way_.target).incoming[way_.window];
  job_.wake(way_.origin);
  const auto tell = [&job = job_, way = way_] {
    auto& side = job.boards.at(way.chain).sides[static_cast<std::size_t>(way.target)];
    std::uint64_t& last = side.arrived[way.arrival][way.exchange % 2];
    if (way.exchange < last) return;
    last = way.exchange;
    side.bytes[way.arrival][way.exchange % 2] = way.bytes;
  };
  tell();
  // A notification may come twice, the second time after a later exchange has started.
  if (job_.progress.draw(4) == 0)
    job_.send(job_.progress.delay(200), way_.origin, way_.target, tell);
}

}  // namespace onehop::adversary
