#pragma once
/// A divisor divides by a number that is known before, many times faster than a processor divides.

#include <cstdint>

namespace onehop::netsim {

/// The quotients are exact: the inverse is rounded up in 64 bits, which is enough for numbers of 32
/// bits (Lemire, Kaser and Kurz, Software: Practice and Experience 49 (2019) 953).
class divisor {
 public:
  constexpr explicit divisor(std::uint32_t by = 1) noexcept
      : inverse_(by > 1 ? UINT64_MAX / by + 1 : 0), by_(by) {}

  [[nodiscard]] constexpr std::uint32_t quotient(std::uint32_t number) const noexcept {
    __extension__ using wide = unsigned __int128;
    if (by_ == 1) return number;
    return static_cast<std::uint32_t>(static_cast<wide>(inverse_) * number >> 64);
  }
  [[nodiscard]] constexpr std::uint32_t remainder(std::uint32_t number) const noexcept {
    return number - quotient(number) * by_;
  }

 private:
  std::uint64_t inverse_;
  std::uint32_t by_;
};

}  // namespace onehop::netsim
