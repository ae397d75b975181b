// A writer and a reader take turns at random, or are threads, on rings that are full most of the
// time.

#include "mpi/ring.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "support/effort.hpp"

using onehop::mpi_abi::packet_header;
using onehop::mpi_abi::ring_cell;
using onehop::mpi_abi::ring_reader;
using onehop::mpi_abi::ring_shape;
using onehop::mpi_abi::ring_writer;

namespace {

constexpr ring_shape small_ring{8, 2048};

class ring_memory {
 public:
  explicit ring_memory(const ring_shape& shape)
      : cells_(std::make_unique<ring_cell[]>(shape.bytes() / sizeof(ring_cell))) {}
  std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(cells_.get()); }

 private:
  std::unique_ptr<ring_cell[]> cells_;
};

/// Returns a payload that tells its number, and by every byte where it lies in it.
std::vector<std::byte> payload_of(std::uint64_t number, const ring_shape& shape) {
  std::mt19937_64 random(number);
  const std::size_t most = random() % 3 == 0 ? shape.most_payload() : 2 * sizeof(ring_cell);
  std::vector<std::byte> bytes(random() % (most + 1));
  for (std::byte& one : bytes) one = static_cast<std::byte>(random());
  return bytes;
}

bool send(ring_writer& to, std::uint64_t number, const ring_shape& shape) {
  return to.try_send({.tag = 7, .sender = number}, payload_of(number, shape));
}

/// Takes a packet and says whether there was one, which must be that of the number.
bool take(ring_reader& from, std::uint64_t number, const ring_shape& shape, bool& as_sent) {
  return from.try_take([&](const packet_header& header, std::span<const std::byte> payload) {
    as_sent = header.tag == 7 && header.sender == number &&
              std::ranges::equal(payload, payload_of(number, shape));
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(packets_come_whole_once_and_in_order) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    ring_memory memory(small_ring);
    ring_writer writer(memory.begin(), small_ring);
    ring_reader reader(memory.begin(), small_ring);
    std::mt19937_64 random(seed);
    std::uint64_t sent = 0, taken = 0, refused = 0;
    bool as_sent = true;
    for (const std::uint64_t all = test::share_of(20000); taken < all && as_sent;) {
      // Now the writer runs ahead until it is refused, now the reader until nothing is left.
      const std::uint64_t turns = random() % 20;
      if (random() % 2 == 0) {
        for (std::uint64_t turn = 0; turn < turns; ++turn) {
          const bool has_left = send(writer, sent, small_ring);
          sent += has_left ? 1 : 0;
          refused += has_left ? 0 : 1;
        }
      } else {
        for (std::uint64_t turn = 0; turn < turns && as_sent; ++turn) {
          const bool came = take(reader, taken, small_ring, as_sent);
          BOOST_REQUIRE_EQUAL(came, taken < sent);
          taken += came ? 1 : 0;
        }
      }
    }
    BOOST_TEST(as_sent);
    BOOST_TEST(refused > 0U);
  }
}

BOOST_AUTO_TEST_CASE(a_ring_that_is_empty_takes_the_longest_payload_wherever_it_stands) {
  ring_memory memory(small_ring);
  ring_writer writer(memory.begin(), small_ring);
  ring_reader reader(memory.begin(), small_ring);
  const auto ignore = [](const packet_header&, std::span<const std::byte>) {};
  const std::vector<std::byte> longest(small_ring.most_payload());
  for (std::size_t bytes = sizeof(ring_cell); bytes < small_ring.most_payload(); bytes += 64) {
    BOOST_TEST(writer.try_send({}, std::span(longest).first(bytes)));
    BOOST_TEST(reader.try_take(ignore));
    BOOST_TEST(writer.try_send({}, longest));
    BOOST_TEST(reader.try_take(ignore));
  }
}

BOOST_AUTO_TEST_CASE(packets_of_another_thread_come_whole_once_and_in_order) {
  ring_memory memory(small_ring);
  const std::uint64_t all = test::share_of(20000);
  std::thread other([&] {
    ring_writer writer(memory.begin(), small_ring);
    for (std::uint64_t sent = 0; sent < all;) {
      if (send(writer, sent, small_ring))
        ++sent;
      else
        std::this_thread::yield();
    }
  });
  ring_reader reader(memory.begin(), small_ring);
  bool as_sent = true;
  for (std::uint64_t taken = 0; taken < all;) {
    if (!take(reader, taken, small_ring, as_sent)) {
      std::this_thread::yield();
      continue;
    }
    ++taken;
    if (!as_sent) BOOST_TEST_ERROR("packet " << taken << " is not as it was sent");
    as_sent = true;
  }
  other.join();
}
