#pragma once
/// A collective_player calls collectives of every kind in a random order, the same on every rank,
/// and checks what they give. What a rank gives in a call can be predicted by all.

#include <numeric>
#include <onehop/collectives.hpp>
#include <onehop/persistent_collective.hpp>

#include "support/exchange.hpp"

namespace test {

class collective_player {
 public:
  using numbers = std::vector<std::uint64_t>;

  collective_player(const onehop::context& ctx, dice alike, std::size_t most_values)
      : ctx_(ctx), alike_(alike), most_values_(most_values) {}

  void play(int calls) {
    using call = void (collective_player::*)();
    constexpr std::array kinds{
        &collective_player::meet,           &collective_player::broadcast,
        &collective_player::allgather,      &collective_player::gather_and_scatter,
        &collective_player::allreduce,      &collective_player::reduce,
        &collective_player::scan,           &collective_player::exclusive_scan,
        &collective_player::reduce_scatter, &collective_player::alltoallv,
        &collective_player::allgatherv,     &collective_player::gatherv,
        &collective_player::scatterv,       &collective_player::sparse_exchange,
        &collective_player::persistent};
    for (int k = 0; k < calls; ++k, ++turn_) {
      root_ = static_cast<int>(drawn(ranks()));
      count_ = drawn(4) == 0 ? drawn(most_values_ + 1) : drawn(10);
      const call one = kinds[drawn(kinds.size())];
      (this->*one)();
    }
  }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(ctx_.size()); }
  bool is_root() const { return ctx_.rank() == root_; }
  std::size_t drawn(std::size_t limit) { return alike_.below(limit); }

  /// Returns what `rank` gives in this call, its list number `list`.
  numbers given(int rank, std::size_t count, int list = 0) const {
    numbers values(count);
    const pattern_words words(rank, list, turn_);
    for (std::size_t i = 0; i < count; ++i) values[i] = words[i];
    return values;
  }
  numbers mine() const { return given(ctx_.rank(), count_); }
  /// Returns the sum of what the ranks from 0 to `last` give.
  numbers sum_up_to(int last, std::size_t count) const {
    numbers total(count);
    for (int rank = 0; rank <= last; ++rank) {
      const numbers theirs = given(rank, count);
      for (std::size_t i = 0; i < count; ++i) total[i] += theirs[i];
    }
    return total;
  }
  numbers sum() const { return sum_up_to(ctx_.size() - 1, count_); }
  numbers everyones() const {
    numbers all;
    for (int rank = 0; rank < ctx_.size(); ++rank) append(all, given(rank, count_));
    return all;
  }
  static void append(numbers& to, const numbers& more) {
    to.insert(to.end(), more.begin(), more.end());
  }
  void check(const numbers& got, const numbers& wanted, const char* what) const {
    expect(got == wanted, std::string(what) + " of " + std::to_string(count_) + " values, call " +
                              std::to_string(turn_) + ", root " + std::to_string(root_));
  }
  static std::span<std::byte> bytes(numbers& of) { return std::as_writable_bytes(std::span(of)); }
  static std::span<const std::byte> read(const numbers& of) { return std::as_bytes(std::span(of)); }

  void meet() { barrier(ctx_); }
  void broadcast() {
    numbers values = mine();
    onehop::broadcast(ctx_, bytes(values), root_);
    check(values, given(root_, count_), "broadcast");
  }
  void allgather() {
    numbers all(count_ * ranks());
    onehop::allgather(ctx_, read(mine()), bytes(all));
    check(all, everyones(), "allgather");
  }
  void gather_and_scatter() {
    numbers all(is_root() ? count_ * ranks() : 0), back(count_);
    onehop::gather(ctx_, read(mine()), bytes(all), root_);
    if (is_root()) check(all, everyones(), "gather");
    onehop::scatter(ctx_, read(all), bytes(back), root_);
    check(back, mine(), "scatter");
  }
  void allreduce() {
    numbers values = mine();
    onehop::allreduce(ctx_, std::span(values));
    check(values, sum(), "allreduce");
  }
  void reduce() {
    numbers values = mine();
    onehop::reduce(ctx_, std::span(values), onehop::reduction::sum, root_);
    if (is_root()) check(values, sum(), "reduce");
  }
  void scan() {
    numbers values = mine();
    onehop::scan(ctx_, std::span(values));
    check(values, sum_up_to(ctx_.rank(), count_), "scan");
  }
  void exclusive_scan() {
    numbers values = mine();
    onehop::exclusive_scan(ctx_, std::span(values));
    check(values, ctx_.rank() == 0 ? mine() : sum_up_to(ctx_.rank() - 1, count_), "exclusive scan");
  }
  void reduce_scatter() {
    const numbers all = given(ctx_.rank(), count_ * ranks());
    numbers block(count_);
    onehop::reduce_scatter<std::uint64_t>(ctx_, all, block);
    check(block, block_of(sum_up_to(ctx_.size() - 1, count_ * ranks()), ctx_.rank()),
          "reduce_scatter");
  }
  numbers block_of(const numbers& all, int rank) const {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(count_) * rank;
    return {first, first + static_cast<std::ptrdiff_t>(count_)};
  }

  /// Returns how long the list is that goes from one rank to another in this call.
  std::size_t length(int from, int to) const {
    const std::uint64_t word = pattern_words(from, 1000 + to, turn_)[0];
    return word % 3 == 0 ? 0 : word % (count_ + 1);
  }
  numbers list(int from, int to) const { return given(from, length(from, to), 1 + to); }
  std::vector<numbers> lists_of(int from) const {
    std::vector<numbers> lists;
    for (int to = 0; to < ctx_.size(); ++to) lists.push_back(list(from, to));
    return lists;
  }
  using spans = std::vector<std::span<const std::uint64_t>>;

  void alltoallv() {
    const std::vector<numbers> lists = lists_of(ctx_.rank());
    const auto came = onehop::alltoallv<std::uint64_t>(ctx_, spans(lists.begin(), lists.end()));
    for (int from = 0; from < ctx_.size(); ++from)
      check(came[static_cast<std::size_t>(from)], list(from, ctx_.rank()), "alltoallv");
  }
  void allgatherv() {
    const auto came = onehop::allgatherv<std::uint64_t>(ctx_, list(ctx_.rank(), root_));
    for (int from = 0; from < ctx_.size(); ++from)
      check(came[static_cast<std::size_t>(from)], list(from, root_), "allgatherv");
  }
  void gatherv() {
    const auto came = onehop::gatherv<std::uint64_t>(ctx_, list(ctx_.rank(), root_), root_);
    for (std::size_t from = 0; from < came.size(); ++from)
      check(came[from], list(static_cast<int>(from), root_), "gatherv");
  }
  void scatterv() {
    const std::vector<numbers> lists = is_root() ? lists_of(root_) : std::vector<numbers>();
    const spans send(lists.begin(), lists.end());
    check(onehop::scatterv<std::uint64_t>(ctx_, send, root_), list(root_, ctx_.rank()), "scatterv");
  }
  /// Sends lists to the ranks from one on whose number depends on the sender.
  void sparse_exchange() {
    const auto destinations_of = [&](int from) {
      std::vector<int> to(pattern_words(from, 2000, turn_)[0] % (ranks() + 2));
      for (std::size_t k = 0; k < to.size(); ++k)
        to[k] = static_cast<int>((static_cast<std::size_t>(from) + 2 * k) % ranks());
      return to;
    };
    const std::vector<int> mine = destinations_of(ctx_.rank());
    std::vector<numbers> lists;
    for (const int to : mine) lists.push_back(list(ctx_.rank(), to));
    const auto came =
        onehop::sparse_exchange<std::uint64_t>(ctx_, mine, spans(lists.begin(), lists.end()));
    std::size_t next = 0;
    for (int from = 0; from < ctx_.size(); ++from)
      for (const int to : destinations_of(from)) {
        if (to != ctx_.rank()) continue;
        expect(next < came.size() && came[next].origin == from, "the origin of a sparse list");
        check(came[next++].values, list(from, to), "sparse_exchange");
      }
    expect(next == came.size(), "no more lists");
  }

  /// Has several persistent collectives under way together, twice.
  void persistent() {
    numbers total(count_), up_to(count_), at_root(count_), all(count_ * ranks()), told(count_);
    numbers own(count_), gathered(is_root() ? count_ * ranks() : 0);
    std::vector<onehop::persistent_collective> together;
    together.push_back(onehop::persistent_allreduce(ctx_, std::span(total)));
    together.push_back(onehop::persistent_scan(ctx_, std::span(up_to)));
    together.push_back(
        onehop::persistent_reduce(ctx_, std::span(at_root), onehop::reduction::sum, root_));
    together.push_back(onehop::persistent_allgather(ctx_, bytes(all)));
    together.push_back(onehop::persistent_broadcast(ctx_, bytes(told), root_));
    together.push_back(onehop::persistent_gather(ctx_, read(own), bytes(gathered), root_));
    for (int again = 0; again < 2; ++again, ++turn_) {
      // A move would take the memory away from under the collectives.
      const numbers now = mine();
      total = up_to = at_root = told = own = now;
      std::ranges::copy(own, all.begin() + static_cast<std::ptrdiff_t>(count_) * ctx_.rank());
      for (auto& one : together) one.start();
      if (drawn(2) == 0) barrier(ctx_);
      for (auto& one : together)
        if (!one.test()) one.wait();
      check(total, sum(), "persistent allreduce");
      check(up_to, sum_up_to(ctx_.rank(), count_), "persistent scan");
      if (is_root()) check(at_root, sum(), "persistent reduce");
      check(all, everyones(), "persistent allgather");
      check(told, given(root_, count_), "persistent broadcast");
      if (is_root()) check(gathered, everyones(), "persistent gather");
    }
  }

  onehop::context ctx_;
  dice alike_;
  std::size_t most_values_;
  int turn_ = 0;
  int root_ = 0;
  std::size_t count_ = 0;
};

}  // namespace test
