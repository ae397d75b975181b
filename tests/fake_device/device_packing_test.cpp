// The rows of a source that lie apart in a device's memory are gathered by a kernel or by the copy
// engine; the kernel runs on the stream of the other copies, after what the caller's stream holds.

#include <dlfcn.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "fake_device/device_player.hpp"

using namespace onehop;
using test::device_ring;
using test::every_real_job;
using test::expect;
using test::setting;

namespace {

int launches() {
  void* const module = dlopen(FAKE_MODULE_FOLDER "/libonehop_cuda.so", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<int (*)()>(dlsym(module, "fake_launches"))();
}

constexpr std::size_t row_bytes = 48, rows = 100;
constexpr local_view face{nullptr, row_bytes, rows, 112};

/// Plays exchanges of a ring whose sources a late program writes.
void play_ring(device_ring& ring, const context& ctx) {
  const int before = (ctx.rank() + ctx.size() - 1) % ctx.size();
  std::vector<std::byte> want(face.bytes());
  int wrong = 0;
  for (int exchange = 1; exchange <= 3; ++exchange) {
    ring.stream().enqueue([&ring, rank = ctx.rank(), exchange] {
      std::vector<std::byte> whole(face.bytes());
      test::fill(whole, rank, 0, exchange);
      for (std::size_t row = 0; row < rows; ++row)
        std::memcpy(ring.source() + row * 112, &whole[row * row_bytes], row_bytes);
    });
    ring.chain().start();
    ring.chain().wait();
    ring.stream().enqueue([&, exchange] {
      const std::span<const std::byte> here(ring.ghosts(), face.bytes());
      if (!test::is_filled(here, before, 0, exchange)) ++wrong;
    });
  }
  expect(fake_driver::finish(ring.stream().handle()), "the stream waits for ever");
  expect(wrong == 0, std::to_string(wrong) + " arrivals were wrong on the device");
}

struct gathering {
  int launched, rows;
  std::string described;
};

/// Plays one rank's own ring, with what the environment says.
gathering gather_once() {
  gathering found{};
  run_on_threads(1, [&](const context& ctx) {
    const int before = launches(), rows_before = fake_driver::counted().rows;
    device_ring ring(ctx, face);
    ring.chain().commit();
    play_ring(ring, ctx);
    found = {launches() - before, fake_driver::counted().rows - rows_before,
             ring.chain().describe()};
  });
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(short_rows_go_to_a_kernel_and_long_ones_to_the_copy_engine) {
  const setting module("ONEHOP_MODULE_PATH", FAKE_MODULE_FOLDER);
  for (const char* const channel : {"staged", "auto"}) {
    const setting way("ONEHOP_DEVICE_CHANNEL", channel);
    const gathering standard = gather_once();
    BOOST_TEST(standard.launched == 3);
    BOOST_TEST(standard.rows == 0);
    BOOST_TEST(test::contains(standard.described,
                              "100 rows of 48 bytes by a kernel: rows of up to "
                              "65536 bytes go to a kernel, by default"),
               standard.described);
    const setting longest("ONEHOP_DEVICE_PACK", "kernel<=47");
    const gathering longer = gather_once();
    BOOST_TEST(longer.launched == 0);
    BOOST_TEST(longer.rows == 3);
    BOOST_TEST(test::contains(longer.described,
                              "100 rows of 48 bytes by the copy engine: rows of "
                              "up to 47 bytes go to a kernel, by "
                              "ONEHOP_DEVICE_PACK"),
               longer.described);
  }
  const setting none("ONEHOP_DEVICE_PACK", "rows");
  BOOST_TEST(gather_once().launched == 0);
}

BOOST_AUTO_TEST_CASE(without_kernels_rows_go_to_the_copy_engine) {
  const gathering none = gather_once();
  BOOST_TEST(none.launched == 0);
  BOOST_TEST(test::contains(none.described, "by the copy engine: no kernel, "), none.described);
  const setting module("ONEHOP_MODULE_PATH", FAKE_MODULE_FOLDER);
  const setting other("FAKE_KERNELS_OF_ANOTHER_DEVICE", "1");
  const gathering found = gather_once();
  BOOST_TEST(found.rows == 3);
  BOOST_TEST(test::contains(found.described, "no kernel, these kernels are for another device"),
             found.described);
}

BOOST_AUTO_TEST_CASE(kernels_write_to_another_device_of_their_process) {
  const setting module("ONEHOP_MODULE_PATH", FAKE_MODULE_FOLDER);
  const int before = launches();
  run_on_threads(fake_driver::devices, [](const context& ctx) {
    device_ring ring(ctx, face, ctx.rank());
    ring.chain().commit();
    play_ring(ring, ctx);
    const std::string said = ring.chain().describe();
    expect(test::contains(said, "which belongs to the same process"), said);
    barrier(ctx);
  });
  BOOST_TEST(launches() - before == 3 * fake_driver::devices);
}

BOOST_AUTO_TEST_CASE(who_packs_is_one_of_three_words) {
  const setting wrong("ONEHOP_DEVICE_PACK", "columns");
  const std::string refused = test::message_of<usage_error>([] { gather_once(); });
  BOOST_TEST(test::contains(refused, "rows, kernel or kernel<=BYTES"), refused);
}

BOOST_DATA_TEST_CASE(kernels_pack_what_the_stream_has_written, every_real_job(), where) {
  const setting module("ONEHOP_MODULE_PATH", FAKE_MODULE_FOLDER);
  for (const auto& [channel, block] : {std::pair{"staged", "4096"}, {"auto", "1000000"}}) {
    const setting pieces("ONEHOP_DEVICE_BLOCK", block), way("ONEHOP_DEVICE_CHANNEL", channel);
    where.run([&](const context& ctx) {
      device_ring ring(ctx, face);
      ring.chain().commit();
      play_ring(ring, ctx);
      barrier(ctx);
    });
  }
  BOOST_TEST(test::left_behind() == 0);
}
