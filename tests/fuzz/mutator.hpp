#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

namespace fuzz {

/// A mutator damages files as disks, networks and editors do, and with numbers that break headers.
class mutator {
 public:
  explicit mutator(std::uint64_t seed) : random_(seed) {}

  std::string operator()(std::string bytes, const std::string& other) {
    for (std::uint64_t times = 1 + below(4); times > 0; --times) mutate(bytes, other);
    return bytes;
  }

 private:
  std::uint64_t below(std::uint64_t end) { return end == 0 ? 0 : random_() % end; }

  // Headers and trailers are small beside the data, and so are hit more often than their size
  // suggests.
  std::size_t place(const std::string& bytes) {
    const std::uint64_t from_end = below(std::min<std::size_t>(bytes.size(), 300));
    switch (below(4)) {
      case 0:
        return below(bytes.size());
      case 1:
        return bytes.size() - from_end;
      default:
        return below(std::min<std::size_t>(bytes.size(), 700));
    }
  }

  void mutate(std::string& bytes, const std::string& other) {
    const std::size_t at = std::min(place(bytes), bytes.size());
    const std::size_t length = std::min<std::size_t>(below(24), bytes.size() - at);
    switch (below(7)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes.replace(at, length, other, place(other) % (other.size() + 1), length);
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 5:
        for (std::size_t k = at; k < at + length % 9; ++k) bytes[k] = "\0\xff\x80\x7f"[below(4)];
        break;
      default:
        if (at < bytes.size()) bytes[at] = "0123456789<>=\n "[below(15)];
    }
  }

  std::mt19937_64 random_;
};

}  // namespace fuzz
