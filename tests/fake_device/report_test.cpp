// The report must say what the driver says of its devices.

#include "device/driver/report.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "fake_device/driver/driver.hpp"

using namespace onehop;

BOOST_AUTO_TEST_CASE(devices_are_described_by_the_driver_alone) {
  const device::driver_report found = device::inspect_driver();
  BOOST_TEST(found.problem == "");
  BOOST_TEST(found.version == "13.0");
  BOOST_REQUIRE(static_cast<int>(found.devices.size()) == fake_driver::devices);
  const device::device_report& device = found.devices[1];
  BOOST_TEST(device.name == "Fake 1");
  BOOST_TEST(device.bus == "0000:02:00.0");
  BOOST_TEST((device.major == 9 && device.minor == 0));
  BOOST_TEST(device.memory_bytes == std::size_t{1} << 30);
  BOOST_TEST(device.peers == std::vector<int>{0}, boost::test_tools::per_element());
  BOOST_TEST((device.words.write_and_wait && device.words.flush));
}

BOOST_AUTO_TEST_CASE(devices_without_stream_memory_operations_are_told) {
  setenv("FAKE_DRIVER_NO_WORDS", "1", 1);
  const device::driver_report found = device::inspect_driver();
  unsetenv("FAKE_DRIVER_NO_WORDS");
  for (const device::device_report& device : found.devices)
    BOOST_TEST((!device.words.write_and_wait && !device.words.flush));
}

BOOST_AUTO_TEST_CASE(a_driver_that_does_not_start_says_why) {
  setenv("FAKE_DRIVER_DOES_NOT_START", "1", 1);
  const device::driver_report found = device::inspect_driver();
  unsetenv("FAKE_DRIVER_DOES_NOT_START");
  BOOST_TEST(found.problem ==
             "the CUDA driver of this machine does not start: what fake devices say (802): see "
             "nvidia-smi, or use memory of the host");
}
