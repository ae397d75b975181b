// Memory and streams that another library of the process has on a device are copied and ordered by
// the driver alone, without the CUDA module.

#include "device/driver/foreign.hpp"

#include <boost/test/unit_test.hpp>
#include <onehop/error.hpp>
#include <string>

#include "fake_device/device_player.hpp"

using namespace onehop;

namespace {

constexpr std::string_view written = "written late";

/// Writes on the device what a program enqueues on a stream.
void write_late(const test::device_stream& on, const test::device_memory& memory) {
  on.enqueue([&] { written.copy(reinterpret_cast<char*>(memory.seen()), written.size()); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_copy_to_the_host_comes_after_what_its_stream_holds) {
  const test::device_memory memory(written.size());
  const test::device_stream stream;
  std::string found(written.size(), '?');
  write_late(stream, memory);
  device::copy_from_device(found.data(), memory.span().data(), found.size(), stream.handle());
  BOOST_TEST(found == written);
}

BOOST_AUTO_TEST_CASE(a_stream_follows_what_the_other_holds) {
  const test::device_memory memory(written.size(), 1);
  const test::device_stream leader, follower;
  std::string found(written.size(), '?');
  write_late(leader, memory);
  device::order_streams(follower.handle(), leader.handle(), memory.span().data());
  device::copy_from_device(found.data(), memory.span().data(), found.size(), follower.handle());
  BOOST_TEST(found == written);
}

BOOST_AUTO_TEST_CASE(memory_of_the_host_is_refused) {
  const test::device_stream stream;
  char here = 0;
  BOOST_CHECK_THROW(device::copy_from_device(&here, &here, 1, stream.handle()), usage_error);
  BOOST_CHECK_THROW(device::order_streams(stream.handle(), stream.handle(), &here), usage_error);
}

BOOST_AUTO_TEST_CASE(nothing_is_left_behind) { BOOST_TEST(fake_driver::counted().events == 0); }
