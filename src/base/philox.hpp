#pragma once
/// Random numbers by counter: every number is a function of (seed, stream, site, draw), so it does
/// not matter which rank asks for it, nor when.

#include <array>
#include <cstdint>

namespace onehop {

/// Philox4x32 with 10 rounds: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
/// 1, 2, 3", SC11.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) noexcept;

/// What a stream is for. Two uses of one seed never share numbers.
enum class random_use : std::uint8_t { hot_start, heatbath, source, noise_wall };

/// The random numbers of one site in one stream, drawn one after the other.
class site_random {
 public:
  /// `stream` is below 2^56, `site` (a global index) below 2^48. At most 65536 pairs can be drawn.
  site_random(std::uint64_t seed, random_use use, std::uint64_t stream,
              std::uint64_t site) noexcept;

  /// Two independent doubles, uniform in (0,1): neither end occurs.
  std::array<double, 2> uniform_pair() noexcept;
  /// Two independent Gaussians of mean 0 and variance 1 (Box and Muller).
  std::array<double, 2> gaussian_pair() noexcept;

 private:
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 2> key_;
};

}  // namespace onehop
