#include <boost/test/unit_test.hpp>
#include <onehop/error.hpp>
#include <onehop/put_chain.hpp>

#include "support/ranks.hpp"
#include "transport/base/transport.hpp"
#include "transport/stores/channel.hpp"
#include "transport/stores/first_look.hpp"

using namespace onehop;
using namespace onehop::stores;

BOOST_AUTO_TEST_CASE(a_table_says_again_what_it_was_told) {
  for (const std::string_view words :
       {"plain/plain", "demote<=512,prefetch<=65536,plain/streaming",
        "demote<=1,streaming<=18446744073709551614,plain/demote<=2,prefetch"})
    BOOST_TEST(channel_table::parse(words).words() == words);
  for (const channel_table& table : {channel_table(), channel_table::between_far_cores()})
    BOOST_TEST(channel_table::parse(table.words()).words() == table.words());
}

BOOST_AUTO_TEST_CASE(one_part_holds_for_packed_and_copied_puts) {
  BOOST_TEST(channel_table::parse("demote<=8,plain").words() == "demote<=8,plain/demote<=8,plain");
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
        "plain<=x,demote", "plain<=-1,demote", "plain,demote", "plain<=8,prefetch<=8,demote",
        "plain<=9,prefetch<=8,demote", "plain<=99999999999999999999,demote", "plain <=8,demote"}) {
    const std::string message = test::message_of<usage_error>([&] { channel_table::parse(words); });
    BOOST_TEST(test::contains(message, "'" + std::string(words) + "'"), message);
    BOOST_TEST(test::contains(message, "plain, prefetch, demote, streaming"), message);
  }
}

BOOST_AUTO_TEST_CASE(near_and_far_cores_have_tables_of_their_own) {
  run_on_threads(1, [](const context& ctx) {
    const std::string near = channel_table().words();
    const std::string far = channel_table::between_far_cores().words();
    test::expect(near != far, "two tables");
    transport_of(ctx).channels()->autotune({60, 120});
    test::expect(channels_of(ctx) == near, "near");
    transport_of(ctx).channels()->autotune({600, 1200});
    test::expect(channels_of(ctx) == far, "far");
    transport_of(ctx).channels()->autotune({5e6, 10000000});
    test::expect(channels_of(ctx) == far, "no message takes milliseconds");
    test::expect(test::contains(channels_why(ctx), "far"), channels_why(ctx));
  });
}

BOOST_AUTO_TEST_CASE(what_the_user_chose_stays_however_far_the_cores_are) {
  run_on_threads(1, [](const context& ctx) {
    set_channels(ctx, "demote");
    transport_of(ctx).channels()->autotune({600, 1200});
    test::expect(channels_of(ctx) == "demote/demote", channels_of(ctx));
  });
}

BOOST_AUTO_TEST_CASE(the_first_commit_autotunes_a_job_once) {
  run_on_threads(2, [](const context& ctx) {
    const auto memory = window::allocate(ctx, 64);
    test::expect(!transport_of(ctx).channels()->is_autotuned(), "nobody has measured");
    for (int turn = 0; turn < 2; ++turn) {
      put_chain chain(ctx, memory);
      chain.commit();
      test::expect(transport_of(ctx).channels()->is_autotuned(), "measured");
    }
  });
}

BOOST_AUTO_TEST_CASE(looks_begin_when_what_is_waited_for_may_be_there) {
  first_look at_once, late(~std::uint64_t{0} >> 1);
  at_once.begin();
  BOOST_TEST(at_once.over());
  BOOST_TEST(late.over());
  if (ticks() == 0) return;
  late.begin();
  BOOST_TEST(!late.over());
}
