// This is the only file that pulls in the whole of Boost.Test; every test links it.
#define BOOST_TEST_MODULE onehop
#include <boost/test/included/unit_test.hpp>
