#include <algorithm>
#include <onehop/error.hpp>

#include "benchmarks/leg.hpp"
#include "benchmarks/make.hpp"

namespace onehop::bench {
namespace {

/// Rank 0 sends a face to each other rank and receives nothing. The faces of the second half lie in
/// rows, one row length apart. A kernel packs each of them before it leaves, and the rank waits for
/// this kernel; another kernel unpacks it.
class sent_faces final : public contender {
 public:
  sent_faces(const context& ctx, const cell& what)
      : ctx_(ctx), rows_(what.rows), bytes_(what.bytes()), in_rows_(2 * bytes_) {
    for (int to = 1; to < ctx.size(); ++to)
      legs_.emplace_back(ctx, bytes_, 1, 1, ctx.rank() == 0 ? to : leg::nobody,
                         ctx.rank() == to ? 0 : leg::nobody, 2, false);
  }

  std::string name() const override { return "onehop"; }
  std::string describe() const override { return legs_.front().describe(); }
  std::size_t bytes() const override { return bytes_ * legs_.size(); }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    for (std::uint64_t i = 0; i < steps; ++i) move();
  }
  void run_checked(std::uint64_t steps) override {
    for (std::uint64_t i = 0; i < steps; ++i) {
      ++step_;
      for (leg& each : legs_) each.write(step_);
      if (ctx_.rank() == 0) leave_to_packing();
      move();
      for (const leg& each : legs_) wrong_ += each.wrong(step_, count_wrong);
    }
  }

 private:
  bool is_packed(std::size_t face) const { return face >= legs_.size() / 2; }
  bool receives(std::size_t face) const { return ctx_.rank() == static_cast<int>(face) + 1; }

  void move() {
    for (std::size_t face = 0; face < legs_.size(); ++face) {
      if (is_packed(face) && ctx_.rank() == 0) pack(legs_[face].source(0));
      legs_[face].start();
    }
    for (std::size_t face = 0; face < legs_.size(); ++face) {
      legs_[face].wait();
      if (is_packed(face) && receives(face)) unpack(legs_[face].arrived(0));
    }
  }

  /// Copies a packed face to the rows; all faces of a step have the same contents.
  void leave_to_packing() {
    to_rows(legs_.back().source(0));
    for (std::size_t face = 0; face < legs_.size(); ++face)
      if (is_packed(face)) std::ranges::fill(legs_[face].source(0), std::byte{});
  }

  void pack(std::span<std::byte> face) {
    for (std::size_t r = 0; r < rows_; ++r) std::ranges::copy(row(r), face.begin() + at(r));
    charge();
  }
  void unpack(std::span<const std::byte> face) {
    to_rows(face);
    charge();
  }
  void to_rows(std::span<const std::byte> face) {
    for (std::size_t r = 0; r < rows_; ++r)
      std::ranges::copy(face.subspan(r * row_bytes(), row_bytes()), row(r).begin());
  }
  void charge() { ctx_.work({.bytes = 2.0 * static_cast<double>(bytes_)}); }

  std::size_t row_bytes() const { return bytes_ / rows_; }
  std::ptrdiff_t at(std::size_t r) const { return static_cast<std::ptrdiff_t>(r * row_bytes()); }
  std::span<std::byte> row(std::size_t r) {
    return std::span(in_rows_).subspan(2 * r * row_bytes(), row_bytes());
  }

  context ctx_;
  std::size_t rows_, bytes_;
  std::vector<std::byte> in_rows_;
  std::vector<leg> legs_;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace

std::unique_ptr<contender> make_sent_faces(const context& ctx, const cell& what) {
  if (ctx.size() == 1)
    throw usage_error("faces go from rank 0 to others, and this job has one rank: give --ranks");
  return std::make_unique<sent_faces>(ctx, what);
}

}  // namespace onehop::bench
