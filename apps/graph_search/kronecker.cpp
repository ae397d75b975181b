#include "kronecker.hpp"

#include "random_uses.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace graph_search {
namespace {

/// A draw of 32 bits below the first of these bounds sets neither bit. Below the second it sets
/// only the bit of the end, below the third only the bit of the beginning, and otherwise both.
constexpr std::array<std::uint32_t, 3> bounds = [] {
  constexpr double all = 4294967296.0, a = 0.57, b = 0.19, c = 0.19;
  return std::array{static_cast<std::uint32_t>(a * all), static_cast<std::uint32_t>((a + b) * all),
                    static_cast<std::uint32_t>((a + b + c) * all)};
}();

constexpr std::uint32_t reversed(std::uint32_t bits) noexcept {
  bits = (bits & 0x55555555U) << 1U | (bits >> 1U & 0x55555555U);
  bits = (bits & 0x33333333U) << 2U | (bits >> 2U & 0x33333333U);
  bits = (bits & 0x0f0f0f0fU) << 4U | (bits >> 4U & 0x0f0f0f0fU);
  return __builtin_bswap32(bits);
}

}  // namespace

kronecker::kronecker(int scale, std::uint64_t seed) : scale_(scale), seed_(seed) {
  if (scale < 1 || scale > 31)
    throw onehop::usage_error("a graph of scale " + std::to_string(scale) +
                              ": 1 to 31 are possible");
  const auto words = random_words(seed, random_labels, 0, 0);
  for (std::size_t k = 0; k < 2; ++k) factor_[k] = words[2 * k] | 1U, offset_[k] = words[2 * k + 1];
}

void kronecker::fill(std::uint64_t first, std::span<edge> edges) const {
  // A batch is drawn in groups of four bits one after the other, so that the loop over edges is
  // vectorised.
  constexpr std::size_t batch = 256;
  std::array<std::uint32_t, batch> from, to;
  for (std::size_t done = 0; done < edges.size(); done += batch) {
    const std::size_t count = std::min(batch, edges.size() - done);
    from.fill(0), to.fill(0);
    for (int bit = 0; bit < scale_; bit += 4) {
      const int draws = std::min(4, scale_ - bit);
      for (std::size_t k = 0; k < count; ++k) {
        const auto words = random_words(seed_, random_edges, first + done + k,
                                        static_cast<std::uint32_t>(bit / 4));
        for (int draw = 0; draw < draws; ++draw) {
          const std::uint32_t word = words[static_cast<std::size_t>(draw)];
          const std::uint32_t upper = word >= bounds[1];
          from[k] = from[k] << 1U | upper;
          to[k] = to[k] << 1U | (upper != 0 ? word >= bounds[2] : word >= bounds[0]);
        }
      }
    }
    for (std::size_t k = 0; k < count; ++k)
      edges[done + k] = {scrambled(from[k]), scrambled(to[k])};
  }
}

/// Both steps are bijections of 2^scale numbers, because the factor is odd.
vertex kronecker::multiplied_and_reversed(vertex v, vertex factor, vertex offset) const noexcept {
  const auto unused = static_cast<unsigned>(32 - scale_);
  return reversed((v * factor + offset) << unused);
}

/// The lowest bits of a product depend on few bits of the factors. Reversed, they become the
/// highest bits of what the second step multiplies.
vertex kronecker::scrambled(vertex plain) const noexcept {
  return multiplied_and_reversed(multiplied_and_reversed(plain, factor_[0], offset_[0]), factor_[1],
                                 offset_[1]);
}

}  // namespace graph_search
