// streaming_litmus ROUNDS [fence | no-fence] [line | word]
//
// Rank 0 stores bytes that pass the caches and then a flag with release; rank 1 waits for the flag
// and reads the bytes, on another core. With `fence` the library's fence comes between, and bytes
// that are not there when the flag is are an error (status 1). Without it they are counted: such
// stores are outside the memory model, and a processor may show the flag first. `line` stores whole
// lines as the library does, `word` 8 bytes of each, which stay in the buffer for writes that it
// combines.

#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <string_view>
#include <thread>

#include "machine/streaming.hpp"
#include "measure/pinning.hpp"

namespace {

constexpr std::uint64_t ring = 64;
constexpr int patience = 10000;
constexpr std::size_t words = onehop::streaming_line_bytes / sizeof(std::uint64_t);

/// The bytes of a round lie in another line than its flag, and neighbours of lines are left out.
struct slot {
  alignas(128) std::array<std::uint64_t, words> bytes{};
  alignas(128) std::atomic<std::uint64_t> flag{0};
};

struct litmus {
  bool fence = true, whole = true;
  std::array<slot, ring> slots{};
  alignas(128) std::atomic<std::uint64_t> read{0};  ///< rounds that rank 1 is done with

  slot& of(std::uint64_t round) { return slots[round % ring]; }
  std::size_t word_of(std::uint64_t round) const { return round / ring % words; }

  void store(slot& to, std::uint64_t round) const {
    if (whole) {
      std::array<std::uint64_t, words> line;
      line.fill(round);
      onehop::stream_line(reinterpret_cast<std::byte*>(to.bytes.data()), line.data());
    } else {
#if defined(__x86_64__)
      _mm_stream_si64(reinterpret_cast<long long*>(&to.bytes[word_of(round)]),
                      static_cast<long long>(round));
#else
      to.bytes[word_of(round)] = round;
#endif
    }
  }

  bool is_there(const slot& in, std::uint64_t round) const {
    const auto at = [&](std::size_t word) {
      return __atomic_load_n(&in.bytes[word], __ATOMIC_RELAXED) == round;
    };
    if (!whole) return at(word_of(round));
    for (std::size_t word = 0; word < words; ++word)
      if (!at(word)) return false;
    return true;
  }

  void write(std::uint64_t rounds) {
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      // A slot is free once its last round has been read. Who waits for bytes that are late gets
      // them: a buffer with nothing behind it may keep them for ever.
      for (int looks = 0; read.load(std::memory_order_acquire) + ring < round; ++looks)
        if (looks > patience) {
          onehop::streaming_fence();
          std::this_thread::yield();
        }
      slot& to = of(round);
      store(to, round);
      if (fence) onehop::streaming_fence();
      to.flag.store(round, std::memory_order_release);
    }
    onehop::streaming_fence();
  }

  /// Returns the rounds whose bytes were not there with their flag.
  std::uint64_t count_late(std::uint64_t rounds) {
    std::uint64_t late = 0;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      const slot& in = of(round);
      for (int looks = 0; in.flag.load(std::memory_order_acquire) != round; ++looks)
        if (looks > patience) std::this_thread::yield();
      if (!is_there(in, round)) ++late;
      // Late bytes come before the slot is used again, which is another store to the same line.
      while (!is_there(in, round)) {
      }
      read.store(round, std::memory_order_release);
    }
    return late;
  }
};

int usage() {
  std::cerr << "usage: streaming_litmus ROUNDS [fence | no-fence] [line | word]\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> given(argv, static_cast<std::size_t>(argc));
  std::uint64_t rounds = 0;
  const std::string_view number = given.size() > 1 ? given[1] : "";
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rounds);
  if (error != std::errc{} || end != number.data() + number.size()) return usage();
  const auto run = std::make_unique<litmus>();
  for (const std::string_view word : given.subspan(2)) {
    if (word == "fence" || word == "no-fence")
      run->fence = word == "fence";
    else if (word == "line" || word == "word")
      run->whole = word == "line";
    else
      return usage();
  }
  const std::vector<int> cores = onehop::measure::allowed_cores();
  if (!onehop::has_streaming_stores || cores.size() < 2) {
    std::cout << "skipped: needs stores that pass the caches, and two cores\n";
    return 77;
  }
  std::uint64_t late = 0;
  std::thread reader([&] {
    onehop::measure::pin_to_core(cores[1]);
    late = run->count_late(rounds);
  });
  onehop::measure::pin_to_core(cores[0]);
  run->write(rounds);
  reader.join();
  std::cout << rounds << " rounds of one " << (run->whole ? "line" : "word") << ", "
            << (run->fence ? "with" : "without") << " the fence: " << late
            << " times the flag was there before the bytes\n";
  return run->fence && late > 0 ? 1 : 0;
}
