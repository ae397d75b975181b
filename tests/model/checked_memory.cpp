#include "model/checked_memory.hpp"

#include <utility>

namespace model {
namespace {

using kind = operation::kind;
using use = ranks_memory::use;
using words = onehop::stores::signals_of<number>;

void store_bytes(kind how, const std::byte* target) {
  ranks_memory& memory = *checked_memory::in_use;
  const operation now{how, memory.plain_at(target), memory.exchange};
  if (memory.broken == weakness::flag_before_data)
    memory.deferred.push_back(now);
  else
    perform(now);
}

}  // namespace

ranks_memory* checked_memory::in_use = nullptr;

ranks_memory::ranks_memory(int ranks, std::size_t window_bytes, std::size_t signal_bytes,
                           weakness how)
    : broken(how) {
  const auto pages = [](std::size_t bytes) { return bytes / sizeof(page) + 1; };
  for (int rank = 0; rank < ranks; ++rank) {
    windows_.emplace_back(pages(window_bytes));
    signals_.emplace_back(pages(signal_bytes));
  }
}

std::span<std::byte> ranks_memory::share(onehop::memory_id id, int rank) const {
  const auto& of = (id == windows ? windows_ : signals_)[static_cast<std::size_t>(rank)];
  // Blocks are constant for endpoints, as exposed_blocks are, and what lies in them is not.
  auto* const first = const_cast<page*>(of.data());
  return {reinterpret_cast<std::byte*>(first), of.size() * sizeof(page)};
}

use ranks_memory::use_of(const number* address) const {
  for (const auto& each : signals_) {
    const auto at =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(each.data());
    if (at >= each.size() * sizeof(page)) continue;
    const std::size_t member = at % sizeof(words);
    if (member >= offsetof(words, credit)) return use::credit;
    return member % sizeof(words::word) == offsetof(words::word, value) ? use::count : use::size;
  }
  throw std::logic_error("an atomic outside of the signals");
}

std::uint64_t number::load(std::memory_order order) const {
  ranks_memory& memory = *checked_memory::in_use;
  const use what = memory.use_of(this);
  const bool relaxed = order != std::memory_order_acquire ||
                       (what == use::count && memory.broken == weakness::relaxed_flag_load) ||
                       (what == use::credit && memory.broken == weakness::relaxed_credit_load);
  const std::uint64_t found = perform({kind::load, memory.atomic_at(this), 0, !relaxed});
  if (what != use::credit) return found;
  if (memory.broken == weakness::credit_too_early) return found + 1;
  return memory.broken == weakness::credit_too_late && found > 0 ? found - 1 : found;
}

void number::store(std::uint64_t value, std::memory_order order) {
  ranks_memory& memory = *checked_memory::in_use;
  const use what = memory.use_of(this);
  const bool relaxed = order != std::memory_order_release ||
                       (what == use::count && memory.broken == weakness::relaxed_flag_store) ||
                       (what == use::credit && memory.broken == weakness::relaxed_credit_store);
  if (what == use::count && memory.broken == weakness::told_too_early) ++value;
  const operation now{kind::store, memory.atomic_at(this), value, !relaxed};
  if (what == use::size && memory.broken == weakness::size_after_count)
    memory.deferred.push_back(now);
  else
    perform(now);
  if (what != use::count) return;
  for (const operation& late : std::exchange(memory.deferred, {})) perform(late);
}

void checked_memory::copy(const onehop::local_view&, std::byte* target) {
  store_bytes(kind::write, target);
}

void checked_memory::stream(const onehop::local_view&, std::byte* target) {
  store_bytes(kind::stream, target);
}

void checked_memory::fence() {
  if (in_use->broken != weakness::no_fence) perform({kind::fence});
}

}  // namespace model
