#include <boost/test/unit_test.hpp>
#include <onehop/error.hpp>

#include "support/ranks.hpp"
#include "transport/stores/channel.hpp"

using namespace onehop;
using namespace onehop::stores;

BOOST_AUTO_TEST_CASE(a_table_says_again_what_it_was_told) {
  for (const std::string_view words :
       {"plain/plain", "demote<=512,prefetch<=65536,plain/streaming",
        "owned<=1,streaming<=18446744073709551614,plain/demote<=2,owned"})
    BOOST_TEST(channel_table::parse(words).words() == words);
  BOOST_TEST(channel_table::parse(channel_table().words()).words() == channel_table().words());
}

BOOST_AUTO_TEST_CASE(one_part_holds_for_packed_and_copied_puts) {
  BOOST_TEST(channel_table::parse("owned<=8,plain").words() == "owned<=8,plain/owned<=8,plain");
}

BOOST_AUTO_TEST_CASE(a_step_holds_up_to_its_bytes) {
  const auto table = channel_table::parse("demote<=512,prefetch<=65536,plain/streaming");
  BOOST_TEST((table.choose(512, false).which == channel::demote));
  BOOST_TEST((table.choose(513, false).which == channel::prefetch));
  BOOST_TEST((table.choose(65537, false).which == channel::plain));
  BOOST_TEST((table.choose(1, true).which == channel::streaming));
}

BOOST_AUTO_TEST_CASE(words_that_do_not_fit_are_refused_with_the_names_that_do) {
  for (const std::string_view words :
       {"", "fast", "plain,", ",plain", "plain/", "plain/plain/plain", "plain<=", "plain<=8",
        "plain<=x,owned", "plain<=-1,owned", "plain,owned", "plain<=8,owned<=8,demote",
        "plain<=9,owned<=8,demote", "plain<=99999999999999999999,owned", "plain <=8,owned"}) {
    const std::string message = test::message_of<usage_error>([&] { channel_table::parse(words); });
    BOOST_TEST(test::contains(message, "'" + std::string(words) + "'"), message);
    BOOST_TEST(test::contains(message, "plain, prefetch, demote, streaming, owned"), message);
  }
}
