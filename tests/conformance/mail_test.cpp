/// Mail carries packets between ranks of a virtual machine, whether they are threads or processes.

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <onehop/collectives.hpp>
#include <vector>

#include "support/exchange.hpp"
#include "transport/base/mail.hpp"

using namespace onehop;
using test::expect;
using enum modelled_message::part;

namespace {

using program = std::function<void(const context&, mail&)>;

/// Plays a body on two ranks that are threads, and on two that are processes.
void play(const std::function<void(const context&)>& body) {
  virtual_machine::run(2, test::small_machine("mpi"), body);
  for (const test::rank_end& end : test::run_under_conductor(2, test::small_machine("mpi"), body))
    BOOST_TEST(end.good(), end.message);
}

/// Plays a program on each of two such ranks with its mail.
void play_on_two(const program& what) {
  play([&](const context& ctx) {
    const std::unique_ptr<mail> mine = transport_of(ctx).open_mail();
    expect(mine != nullptr, "there is mail");
    what(ctx, *mine);
    barrier(ctx);
  });
}

std::vector<std::byte> wait_for_packet(const context& ctx, mail& packets) {
  for (;;) {
    if (const auto found = packets.next()) {
      expect(found->from == 1 - ctx.rank(), "who has sent it");
      return {found->bytes.begin(), found->bytes.end()};
    }
    clock_of(ctx).idle(0, clock_of(ctx).now() + std::chrono::seconds(1));
  }
}

void send(mail& packets, int to, int number, std::size_t bytes, const modelled_message& as) {
  const std::vector<std::byte> body(bytes, static_cast<std::byte>(number));
  expect(packets.try_send(to, std::as_bytes(std::span(&number, 1)), body, as), "room");
}

void expect_packet(const std::vector<std::byte>& packet, int number, std::size_t bytes) {
  int seen = -1;
  expect(packet.size() == sizeof seen + bytes, "all bytes have come");
  std::memcpy(&seen, packet.data(), sizeof seen);
  expect(seen == number, "the packets come in order");
  for (std::size_t at = sizeof seen; at < packet.size(); ++at)
    expect(packet[at] == static_cast<std::byte>(number), "no byte has changed");
}

/// Returns how long a packet takes that stands for such a message.
std::int64_t time_of(const modelled_message& as) {
  std::int64_t taken = 0;
  virtual_machine::run(2, test::small_machine("mpi"), [&](const context& ctx) {
    const std::unique_ptr<mail> mine = transport_of(ctx).open_mail();
    if (ctx.rank() == 0) return send(*mine, 1, 7, 32, as);
    const auto begin = clock_of(ctx).now();
    wait_for_packet(ctx, *mine);
    taken = (clock_of(ctx).now() - begin).count();
  });
  return taken;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_packet_takes_the_time_of_what_it_stands_for) {
  constexpr std::uint64_t bytes = 1 << 20;
  for (const auto with_data : {message, data})
    BOOST_TEST(time_of({with_data, bytes}) > 10 * time_of({with_data, 64}));
  for (const auto of_a_word : {request, grant})
    BOOST_TEST(time_of({of_a_word, bytes}) == time_of({of_a_word, 64}));
  BOOST_TEST(time_of({nothing, bytes}) == 0);
}

// A packet that takes no time does not overtake one before it that does.
BOOST_AUTO_TEST_CASE(packets_come_whole_and_in_order) {
  play_on_two([](const context& ctx, mail& packets) {
    constexpr int count = 200;
    const auto bytes_of = [](int number) { return static_cast<std::size_t>(number * 79 % 16000); };
    const auto kind_of = [](int number) { return number % 3 == 0 ? message : nothing; };
    for (int n = 0; n < count; ++n)
      send(packets, 1 - ctx.rank(), n, bytes_of(n), {kind_of(n), bytes_of(n)});
    for (int n = 0; n < count; ++n) expect_packet(wait_for_packet(ctx, packets), n, bytes_of(n));
    expect(!packets.next(), "each packet comes once");
  });
}

// Who closes its mail may open it again at once.
BOOST_AUTO_TEST_CASE(packets_leave_when_their_mail_is_closed) {
  play([](const context& ctx) {
    constexpr int count = 3;
    if (ctx.rank() == 0)
      for (int n = 0; n < count; ++n)
        send(*transport_of(ctx).open_mail(), 1, n, 100, {message, 100});
    if (ctx.rank() == 1) {
      const std::unique_ptr<mail> packets = transport_of(ctx).open_mail();
      for (int n = 0; n < count; ++n) expect_packet(wait_for_packet(ctx, *packets), n, 100);
    }
    barrier(ctx);
  });
}

// Memory for packets that nobody takes has an end; a sender that waits for room goes on.
BOOST_AUTO_TEST_CASE(a_sender_without_room_goes_on_once_packets_are_taken) {
  play_on_two([](const context& ctx, mail& packets) {
    constexpr int count = 2000;
    constexpr std::size_t bytes = 16000;
    if (ctx.rank() == 1) {
      test::doze(ctx, std::chrono::milliseconds(50));
      for (int n = 0; n < count; ++n) expect_packet(wait_for_packet(ctx, packets), n, bytes);
      return;
    }
    int refused = 0;
    for (int n = 0; n < count; ++n) {
      const std::vector<std::byte> numbered(bytes, static_cast<std::byte>(n));
      while (!packets.try_send(1, std::as_bytes(std::span(&n, 1)), numbered, {message, bytes})) {
        ++refused;
        clock_of(ctx).idle(0, clock_of(ctx).now() + std::chrono::seconds(100));
      }
    }
    expect(refused > 0, "32 MB are too many at once");
    expect(ctx.now().time_since_epoch() < std::chrono::seconds(50), "the rank was woken");
  });
}

BOOST_AUTO_TEST_CASE(a_rank_knows_when_all_that_it_sent_has_come) {
  play_on_two([](const context& ctx, mail& packets) {
    expect(packets.all_came(), "nothing was sent");
    if (ctx.rank() == 1) {
      test::doze(ctx, std::chrono::milliseconds(1));
      expect_packet(wait_for_packet(ctx, packets), 3, 100);
      expect(!packets.next(), "no more packets");
      return;
    }
    send(packets, 1, 3, 100, {message, 100});
    expect(!packets.all_came(), "nobody has taken it");
    while (!packets.all_came())
      clock_of(ctx).idle(0, clock_of(ctx).now() + std::chrono::seconds(100));
    expect(ctx.now().time_since_epoch() < std::chrono::seconds(50), "the rank was woken");
  });
}
