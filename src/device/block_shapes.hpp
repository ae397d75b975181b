#pragma once
/// The block shapes say how many threads of a device form a block, for each kernel for which that
/// matters.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace onehop {

enum class field_precision : std::uint8_t;

}  // namespace onehop

namespace onehop::device {

/// The kinds of kernels are hops (plain Wilson, with factors at the sites, staggered, and staggered
/// with three-site links) and all vector algebra.
enum class kernel_kind : std::uint8_t { wilson, factored, staggered, far, vectors };

class block_shapes {
 public:
  /// This block size applies if nothing was measured. It does not affect the bits of a result.
  static constexpr int standard = 128;
  static constexpr std::array<int, 4> choices = {32, 64, 128, 256};
  static constexpr std::size_t kernels = 4 * 3 * 3 + 1;

  /// Returns the index of one of `kernels`; `recon` per link is 18, 12 or 8. For vectors neither
  /// precision nor reals matter.
  static constexpr std::size_t place(kernel_kind kind, field_precision precision, int recon) {
    if (kind == kernel_kind::vectors) return kernels - 1;
    const std::size_t links = recon == 18 ? 0 : recon == 12 ? 1 : 2;
    return (static_cast<std::size_t>(kind) * 3 + static_cast<std::size_t>(precision)) * 3 + links;
  }
  /// Returns the name of a kernel, such as "wilson/single/12" or "vectors".
  static std::string name(std::size_t place);

  constexpr block_shapes() { threads_.fill(standard); }
  /// Parses text such as "wilson/single/12=64,vectors=256"; kernels not named keep the standard.
  /// Throws usage_error for an unknown name or size.
  static block_shapes parse(std::string_view words);
  std::string words() const;

  int threads(std::size_t place) const noexcept { return threads_[place]; }
  void set(std::size_t place, int threads) noexcept { threads_[place] = threads; }

 private:
  std::array<int, kernels> threads_{};
};

}  // namespace onehop::device
