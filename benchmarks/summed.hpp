#pragma once
/// In the allreduce step every rank contributes new numbers and reads their sum.

#include <span>
#include <utility>
#include <vector>

#include "benchmarks/contender.hpp"
#include "benchmarks/touch.hpp"

namespace onehop::bench {

/// Returns number i that rank `rank` contributes in step `step`. The numbers are small integers,
/// whose sum over any ranks is exact in any order.
inline double contribution(word step, std::size_t i, int rank) {
  return static_cast<double>((step + i) % 1024 + static_cast<std::size_t>(rank));
}
inline double expected_total(word step, std::size_t i, int ranks) {
  return ranks * contribution(step, i, 0) + ranks * (ranks - 1) / 2;
}

/// `Reduction` has name() and sum(values), in place.
template <class Reduction>
class summed final : public contender {
 public:
  summed(Reduction reduction, int rank, int ranks, std::size_t bytes)
      : reduction_(std::move(reduction)),
        rank_(rank),
        ranks_(ranks),
        values_(bytes / sizeof(double)) {}

  std::string name() const override { return reduction_.name(); }
  std::size_t bytes() const override { return values_.size() * sizeof(double); }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n) {
      fill_values();
      reduction_.sum(values_);
      wrong_ += wrong_at(0);
    }
  }
  void run_checked(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n) {
      fill_values();
      reduction_.sum(values_);
      for (std::size_t i = 0; i < values_.size(); ++i) wrong_ += wrong_at(i);
    }
  }

 private:
  void fill_values() {
    ++step_;
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = contribution(step_, i, rank_);
  }
  std::uint64_t wrong_at(std::size_t i) const {
    return values_[i] == expected_total(step_, i, ranks_) ? 0 : sizeof(double);
  }

  Reduction reduction_;
  int rank_, ranks_;
  std::vector<double> values_;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

/// In the reduce_scatter step every rank contributes new numbers for all ranks and reads the sum of
/// its own. `Reduction` has name() and sum(all, mine).
template <class Reduction>
class scattered_sum final : public contender {
 public:
  scattered_sum(Reduction reduction, int rank, int ranks, std::size_t bytes)
      : reduction_(std::move(reduction)),
        rank_(rank),
        ranks_(ranks),
        all_(bytes / sizeof(double) * static_cast<std::size_t>(ranks)),
        mine_(bytes / sizeof(double)) {}

  std::string name() const override { return reduction_.name(); }
  std::size_t bytes() const override { return mine_.size() * sizeof(double); }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override { sum(steps, 1); }
  void run_checked(std::uint64_t steps) override { sum(steps, mine_.size()); }

 private:
  void sum(std::uint64_t steps, std::size_t checked) {
    for (std::uint64_t n = 0; n < steps; ++n) {
      ++step_;
      for (std::size_t i = 0; i < all_.size(); ++i) all_[i] = contribution(step_, i, rank_);
      reduction_.sum(all_, mine_);
      const std::size_t first = static_cast<std::size_t>(rank_) * mine_.size();
      for (std::size_t i = 0; i < checked; ++i)
        wrong_ += mine_[i] == expected_total(step_, first + i, ranks_) ? 0 : sizeof(double);
    }
  }

  Reduction reduction_;
  int rank_, ranks_;
  std::vector<double> all_, mine_;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace onehop::bench
