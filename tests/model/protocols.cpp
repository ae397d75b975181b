#include "model/protocols.hpp"

#include <algorithm>
#include <string>

namespace model {
namespace {

using kind = instruction::kind;

bool credited(const chain_model& chain, std::size_t put) {
  if (chain.broken == weakness::no_credit) return false;
  const auto [origin, target] = chain.puts[put];
  const bool back = std::ranges::any_of(
      chain.puts, [&](auto other) { return other.origin == target && other.target == origin; });
  return chain.banks == 1 || !back;
}

/// A rank_writer writes one rank's program for a chain. All puts from one rank to another share a
/// count for odd exchanges, one for even ones, and a credit: those of the pair's first put p are
/// atomics 3 p to 3 p + 2. Plain places: bank b of put p's ghost memory is 2 p + b; behind all of
/// those are the words for sizes, two for each put whatever the banks. Sizes are atomic, but
/// relaxed: what must be shown of them is what must be shown of plain memory.
class rank_writer {
 public:
  rank_writer(const chain_model& chain, int rank) : chain_(chain), rank_(rank) {
    for (int p = 0; p < static_cast<int>(chain.puts.size()); ++p) {
      const auto edge = chain.puts[static_cast<std::size_t>(p)];
      if (edge.origin == rank && first_of_pair(p) == p) lanes_.push_back(p);
      if (edge.target == rank) in_.push_back(p);
    }
    if (!chain.reversed || rank % 2 == 0) return;
    std::ranges::reverse(lanes_);
    std::ranges::reverse(in_);
  }

  thread_program write() {
    for (int n = 1; n <= chain_.exchanges; ++n) exchange(n);
    return {"rank " + std::to_string(rank_), std::move(code_)};
  }

 private:
  bool is(weakness what) const { return chain_.broken == what; }
  /// Returns the puts of the pair that put p belongs to, in order.
  std::vector<int> pair_of(int p) const {
    const auto [origin, target] = chain_.puts[static_cast<std::size_t>(p)];
    std::vector<int> puts;
    for (int q = 0; q < static_cast<int>(chain_.puts.size()); ++q)
      if (const auto other = chain_.puts[static_cast<std::size_t>(q)];
          other.origin == origin && other.target == target)
        puts.push_back(q);
    return puts;
  }
  int first_of_pair(int p) const { return pair_of(p).front(); }
  int count(int p, int n) const { return 3 * first_of_pair(p) + n % 2; }
  int credit(int p) const { return 3 * first_of_pair(p) + 2; }
  /// Returns the count from which on put p of exchange n is in.
  int told(int p, int n) const {
    const std::vector<int> puts = pair_of(p);
    const auto place = static_cast<int>(std::ranges::find(puts, p) - puts.begin());
    return (n - 1) * static_cast<int>(puts.size()) + place + 1;
  }
  /// Returns the put that comes back for put p, in the order of the pair.
  int back(int p) const {
    const auto [origin, target] = chain_.puts[static_cast<std::size_t>(p)];
    const std::vector<int> puts = pair_of(p);
    const auto place = std::ranges::find(puts, p) - puts.begin();
    for (int q = 0; q < static_cast<int>(chain_.puts.size()); ++q)
      if (const auto other = chain_.puts[static_cast<std::size_t>(q)];
          other.origin == target && other.target == origin)
        return pair_of(q)[static_cast<std::size_t>(place)];
    return p;
  }
  int ghost(int p, int n) const {
    if (chain_.in_turns) return 2 * (n % 2 == 0 && !is(weakness::bank_not_switched) ? back(p) : p);
    return 2 * p + (chain_.banks == 2 && !is(weakness::bank_not_switched) ? n % 2 : 0);
  }
  bool credited(int p) const { return model::credited(chain_, static_cast<std::size_t>(p)); }
  int size(int p, int n) const { return 2 * (static_cast<int>(chain_.puts.size()) + p) + n % 2; }
  void tell_sizes(int first, int n) {
    for (const int p : pair_of(first)) code_.push_back({kind::write, size(p, n), n});
  }
  void put_bytes(int p, int n) {
    code_.push_back({chain_.streams ? kind::stream : kind::write, ghost(p, n), n});
  }

  void exchange(int n) {
    if (chain_.in_parts) {
      start_in_parts(n);
    } else {
      if (!is(weakness::packed_before_read) || n == 1) pack_all(n);
      start(n);
    }
    // Each face is used once it is in, and all of them until the next start.
    for (const int p : in_) use(p, n);
    if (is(weakness::packed_before_read)) pack_all(n + 1);
    for (const int p : in_) code_.push_back({kind::read, ghost(p, n), n});
  }

  void pack_all(int n) {
    for (const int first : lanes_)
      if (packed_in_place(first)) pack(first, n);
  }

  void use(int p, int n) {
    if (!is(weakness::no_wait_for_arrivals))
      code_.push_back({kind::await, count(p, n), told(p, n), !is(weakness::relaxed_flag_load)});
    if (chain_.variable) code_.push_back({kind::read, size(p, n), n});
    code_.push_back({kind::read, ghost(p, n), n});
  }

  void start_in_parts(int n) {
    code_.push_back({kind::begin, rank_, n});
    bool used = in_.empty();
    for (const int first : lanes_) {
      code_.push_back({kind::check, chain_.puts[static_cast<std::size_t>(first)].target, n, true,
                       false, chain_.banks - 1});
      for (const int p : pair_of(first)) {
        put_bytes(p, n);
        if (chain_.variable) code_.push_back({kind::write, size(p, n), n});
        tell(p, n);
        if (!used) use(in_.front(), n);
        used = true;
      }
    }
  }

  bool packed_in_place(int p) const { return chain_.packed && (!credited(p) || chain_.when_ready); }

  void pack(int first, int n) {
    if (!is(weakness::packed_before_credit)) await_credit(first, n);
    for (const int p : pair_of(first)) put_bytes(p, n);
  }

  void start(int n) {
    code_.push_back({kind::begin, rank_, n});
    for (const int p : in_)
      if (credited(p) && first_of_pair(p) == p)
        code_.push_back({kind::store, credit(p), n, !is(weakness::relaxed_credit_store)});
    for (const int first : lanes_) fire(first, n);
  }

  void await_credit(int first, int n) {
    // The rule is credit + banks > n.
    const int early = is(weakness::credit_too_early) ? 1 : is(weakness::credit_too_late) ? -1 : 0;
    if (const int wanted = n + 1 - chain_.banks - early; credited(first) && wanted > 0)
      code_.push_back({kind::await, credit(first), wanted, !is(weakness::relaxed_credit_load)});
  }

  void fire(int first, int n) {
    await_credit(first, n);
    code_.push_back({kind::check, chain_.puts[static_cast<std::size_t>(first)].target, n, true,
                     false, chain_.banks - 1});
    const std::vector<int> puts = pair_of(first);
    const bool copied = !packed_in_place(first);
    if (chain_.variable && !is(weakness::size_after_count)) tell_sizes(first, n);
    for (const int p : puts) {
      const bool now = copied && !is(weakness::flag_before_data);
      if (now) put_bytes(p, n);
      if (p == puts.back() || (copied && !chain_.together)) tell(p, n);
      if (copied && !now) put_bytes(p, n);
    }
    if (chain_.variable && is(weakness::size_after_count)) tell_sizes(first, n);
  }

  void tell(int p, int n) {
    if (chain_.streams && !is(weakness::no_fence)) code_.push_back({kind::fence});
    const int early = is(weakness::told_too_early) ? 1 : 0;
    code_.push_back(
        {kind::store, count(p, n), told(p, n) + early, !is(weakness::relaxed_flag_store)});
  }

  const chain_model& chain_;
  int rank_;
  std::vector<int> lanes_;  ///< the first put to each target
  std::vector<int> in_;
  std::vector<instruction> code_;
};

}  // namespace

system_model chain_model::programs() const {
  system_model system{{}, 3 * static_cast<int>(puts.size()), 4 * static_cast<int>(puts.size())};
  for (int rank = 0; rank < ranks; ++rank)
    system.threads.push_back(rank_writer(*this, rank).write());
  return system;
}

system_model round_model::programs() const {
  const int slots = 2 + 2 * left_open - (broken == weakness::slot_missing ? 1 : 0);
  system_model system{{}, slots * ranks, slots * ranks};
  const auto slot = [&](int rank, int round) { return slots * rank + round % slots; };
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<instruction> code;
    const auto hear = [&](int other, int round) {
      code.push_back(
          {kind::await, slot(other, round), round, broken != weakness::relaxed_flag_load, true});
      code.push_back({kind::read, slot(other, round), round});
    };
    for (int round = 1; round <= rounds; ++round) {
      code.push_back({kind::write, slot(rank, round), round});
      code.push_back(
          {kind::store, slot(rank, round), round, broken != weakness::relaxed_flag_store});
      if (left_open > 0) hear(0, round);
      const bool all = broken != weakness::no_wait_for_every_message;
      for (int other = 0; other < (all ? ranks : 1); ++other)
        if (round > left_open) hear(other, round - left_open);
    }
    system.threads.push_back({"rank " + std::to_string(rank), std::move(code)});
  }
  return system;
}

}  // namespace model
