// A program may load the driver of its devices, or a library that needs it, at any time.

#include <dlfcn.h>

#include <boost/test/unit_test.hpp>

#include "device/driver/driver.hpp"

using onehop::device::driver;

BOOST_AUTO_TEST_CASE(driver_that_is_loaded_after_the_first_look_is_found) {
  // Nobody has loaded a driver here, even where this machine has one.
  BOOST_TEST(driver::loaded() == nullptr);
  BOOST_TEST(driver::loaded() == nullptr);
  BOOST_REQUIRE(dlopen(FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL) != nullptr);
  BOOST_TEST(driver::loaded() != nullptr);
}
