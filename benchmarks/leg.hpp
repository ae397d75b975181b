#pragma once
/// A leg is a chain whose messages all go from one rank to another.

#include <onehop/put_chain.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/touch.hpp"
#include "measure/rotation.hpp"

namespace onehop::bench {

/// A leg is one chain that sends `messages` messages to a rank, receives as many from a rank, or
/// does both. Packed messages are written directly where the chain needs them, so that there is no
/// source to copy from.
class leg {
 public:
  static constexpr int nobody = -1;

  leg(const context& ctx, std::size_t bytes, std::size_t rows, std::size_t messages, int to,
      int from, int banks, bool packed)
      : rank_(ctx.rank()),
        from_(from),
        rows_(rows),
        packed_(packed && to != nobody),
        source_(rows_ > 1 ? 2 * bytes : bytes, messages * stride(2 * bytes), messages),
        message_(rows_ > 1 ? bytes : 0),
        window_(window::allocate(ctx, messages * stride(bytes), banks)),
        chain_(ctx, window_) {
    for (std::size_t m = 0; m < messages; ++m) {
      if (to != nobody) slots_.push_back(chain_.push(describe_put(bytes, m, to)));
      if (from != nobody) arrivals_.push_back(chain_.add_origin(from));
    }
    chain_.commit();
    streams_ = packed_ && chain_.streaming(slots_.front());
  }

  void start() { chain_.start(); }
  void wait() { chain_.wait(); }
  std::string describe() const { return chain_.describe(); }
  std::span<std::byte> source(std::size_t m) { return source_[m]; }
  std::span<const std::byte> arrived(std::size_t m) const { return chain_.arrived(arrivals_[m]); }
  void write(word step) {
    for (std::size_t m = 0; m < slots_.size(); ++m) {
      const word seed = seed_of(step, m, rank_);
      if (rows_ > 1) {
        fill(message_, seed);
        spread(m);
        continue;
      }
      const std::span<std::byte> place = packed_ ? chain_.target_view(slots_[m]) : source_[m];
      streams_ ? fill_streaming(place, seed) : fill(place, seed);
    }
  }
  template <class Read>
  std::uint64_t wrong(word step, Read&& read) const {
    std::uint64_t count = 0;
    for (std::size_t m = 0; m < arrivals_.size(); ++m)
      count += read(chain_.arrived(arrivals_[m]), seed_of(step, m, from_));
    return count;
  }

 private:
  /// Messages do not share lines or places in a page, like the faces of ring_faces.
  static std::size_t stride(std::size_t bytes) { return (bytes + 127) / 128 * 128 + 128; }

  put describe_put(std::size_t bytes, std::size_t m, int to) {
    const std::size_t offset = m * stride(bytes);
    if (packed_) return put::packed(bytes, to, offset);
    if (rows_ > 1) {
      const std::size_t row = bytes / rows_;
      return {{source_[m].data(), row, rows_, static_cast<std::ptrdiff_t>(2 * row)}, to, offset};
    }
    return {local_view::contiguous(source_[m]), to, offset};
  }
  /// In its source, the rows of a message are one row length apart.
  void spread(std::size_t m) {
    const std::size_t row = message_.size() / rows_;
    for (std::size_t r = 0; r < rows_; ++r)
      std::ranges::copy(std::span(message_).subspan(r * row, row),
                        source_[m].begin() + static_cast<std::ptrdiff_t>(2 * r * row));
  }

  int rank_, from_;
  std::size_t rows_;
  bool packed_, streams_ = false;
  measure::rotation source_;
  std::vector<std::byte> message_;
  window window_;
  put_chain chain_;
  std::vector<put_slot> slots_;
  std::vector<notification> arrivals_;
};

}  // namespace onehop::bench
