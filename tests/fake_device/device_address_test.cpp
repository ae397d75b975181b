// A transport that takes addresses of devices' memory itself must be given them, in the order of
// the stream; one that does not must be given none, and the chain must say so. An MPI is queried
// whether it takes them.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cstdlib>

#include "fake_device/device_player.hpp"

using namespace onehop;
using test::device_memory;
using test::device_stream;
using test::dice;
using test::every_real_job;
using test::expect;

namespace {

/// Returns whether this program runs with an MPI that says so, and a driver that lets it.
bool takes_addresses() { return std::getenv("FAKE_DRIVER_OPEN") != nullptr; }

bool on_mpi(const test::job& where) { return where.how == test::job::launched; }

/// Returns what a put to the next rank's device says of its way; its rows are of half the stride or
/// whole.
std::string described(const context& ctx, std::size_t row_bytes, bool on_stream = false) {
  constexpr std::size_t stride = 40, rows = 100;
  const device_memory source(stride * rows), ghosts(stride * rows);
  const device_stream stream;
  put_chain chain(ctx, window::register_existing(ctx, ghosts.span()));
  chain.push({{source.span().data(), row_bytes, rows, stride}, (ctx.rank() + 1) % ctx.size(), 0});
  chain.add_origin((ctx.rank() + ctx.size() - 1) % ctx.size());
  chain.set_stream(stream.handle());
  if (on_stream) chain.wait_on_stream();
  chain.commit();
  return chain.describe();
}

}  // namespace

BOOST_DATA_TEST_CASE(a_wire_that_takes_addresses_of_devices_is_given_them, every_real_job(),
                     where) {
  where.run([&](const context& ctx) {
    const std::string said = described(ctx, 40);
    const bool by_address = test::contains(said, "by address: MPIX_Query_cuda_support");
    expect(by_address == (on_mpi(where) && takes_addresses()), said);
    const std::string waits = described(ctx, 40, true);
    expect(!by_address || test::contains(waits, "the host waits, not the stream: the transport"),
           waits);
  });
}

BOOST_DATA_TEST_CASE(a_chain_says_why_addresses_are_not_given, every_real_job(), where) {
  if (!on_mpi(where) || where.ranks == 1) return;
  setenv("FAKE_DRIVER_NO_IPC", "1", 1);
  where.run([&](const context& ctx) {
    const std::string apart = described(ctx, 20);
    const std::string why =
        takes_addresses() ? "rows of a source lie apart" : " of this MPI says no";
    expect(test::contains(apart, why), apart);
    if (!takes_addresses()) return;
    const test::setting staged("ONEHOP_DEVICE_CHANNEL", "staged");
    const std::string told = described(ctx, 40);
    expect(test::contains(told, "not by address: ONEHOP_DEVICE_CHANNEL is staged"), told);
  });
}

BOOST_DATA_TEST_CASE(bytes_come_by_address_in_the_order_of_streams, every_real_job(), where) {
  where.run([](const context& ctx) {
    constexpr std::size_t bytes = 30'000;
    const int next = (ctx.rank() + 1) % ctx.size();
    const int before = (ctx.rank() + ctx.size() - 1) % ctx.size();
    const device_memory source(bytes), ghosts(2 * bytes);
    const device_stream stream;
    int wrong = 0;
    put_chain chain(ctx, window::register_existing(ctx, ghosts.span()));
    // One put is from a device, the other packed by the host.
    chain.push({local_view::contiguous(source.span()), next, 0});
    const put_slot packed = chain.push(put::packed(bytes, next, bytes));
    const notification arrivals[] = {chain.add_origin(before), chain.add_origin(before)};
    chain.set_stream(stream.handle());
    chain.commit();
    for (int exchange = 1; exchange <= 6; ++exchange) {
      stream.enqueue([&, exchange] {
        test::fill({source.seen(), bytes}, ctx.rank(), 0, exchange);
      });
      test::fill(chain.target_view(packed), ctx.rank(), 1, exchange);
      chain.start();
      chain.wait();
      for (int k = 0; k < 2; ++k) {
        expect(chain.arrived(arrivals[k]).data() == ghosts.span().data() + k * bytes, "its place");
        // The arrival is read late: the next exchange must wait for it.
        stream.enqueue([&, k, exchange] {
          const std::span<const std::byte> here(ghosts.seen() + k * bytes, bytes);
          if (!test::is_filled(here, before, k, exchange)) ++wrong;
        });
      }
    }
    fake_driver::finish(stream.handle());
    expect(wrong == 0, std::to_string(wrong) + " arrivals were wrong");
  });
}
