#include <boost/test/unit_test.hpp>
#include <set>

#include "io/checksum.hpp"
#include "io/lime_text.hpp"
#include "io/number_text.hpp"
#include "io/site_block.hpp"

using namespace onehop::io;

BOOST_AUTO_TEST_CASE(crc32_gives_the_published_check_value) {
  const std::string_view digits = "123456789";
  BOOST_TEST(crc32(std::as_bytes(std::span(digits))) == 0xcbf43926U);
  BOOST_TEST(crc32({}) == 0U);
}

BOOST_AUTO_TEST_CASE(a_checksum_is_told_in_all_of_its_words_and_no_more) {
  BOOST_TEST(checksum_text({checksum_kind::none, {1, 2}}) == "");
  BOOST_TEST(checksum_text({checksum_kind::nersc, {1, 2}}) == "NERSC checksum 00000001");
  BOOST_TEST(checksum_text({checksum_kind::scidac, {1, 2}}) == "SciDAC checksum 00000001 00000002");
  BOOST_TEST(checksum_text({checksum_kind::milc, {10, 2}}) == "MILC checksum 0000000a 00000002");
}

BOOST_AUTO_TEST_CASE(xml_elements_are_found_whatever_surrounds_them) {
  const std::string_view xml =
      "\n<?xml version=\"1.0\"?><!-- <lx>5</lx> --><i:ildgFormat schema=\"broken "
      "><version>1.0</version>"
      "<i:lx unit='site'>\n 8 </i:lx><lxx>9</lxx><ly/><lz>";
  BOOST_TEST(xml_element(xml, "lx").value() == "8");
  BOOST_TEST(xml_element(xml, "version").value() == "1.0");
  BOOST_TEST(xml_element(xml, "ly").value() == "");
  BOOST_TEST(xml_element(xml, "lz").value() == "");
  BOOST_TEST(!xml_element(xml, "lt").has_value());
  BOOST_TEST(!xml_element("<lx", "lx").has_value());
  BOOST_TEST(!xml_element("<!-- <lx>1</lx>", "lx").has_value());
  BOOST_TEST(xml_element("<<lx<lx>1</lx>", "lx").value() == "1");
}

BOOST_AUTO_TEST_CASE(numbers_are_taken_whole_or_not_at_all) {
  BOOST_TEST(integer_from<int>(" 12 ").value() == 12);
  BOOST_TEST(!integer_from<int>("12x").has_value());
  BOOST_TEST(!integer_from<int>("").has_value());
  BOOST_TEST(!integer_from<int>("99999999999").has_value());
  BOOST_TEST(integer_from<std::uint32_t>("0xDEADbeef", 16).value() == 0xdeadbeefU);
  BOOST_TEST(!integer_from<std::uint32_t>("1deadbeef", 16).has_value());
  BOOST_TEST(real_from("5.0e-1").value() == 0.5);
  BOOST_TEST(!real_from("nan").has_value());
  BOOST_TEST(!real_from("1e999").has_value());
}

BOOST_AUTO_TEST_CASE(unit_of_the_last_printed_digit_is_known) {
  BOOST_TEST(unit_of_last_digit("0.594") == 1e-3, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(unit_of_last_digit("5.938e-6") == 1e-9, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(unit_of_last_digit("1") == 1.0);
}

BOOST_AUTO_TEST_CASE(runs_cover_a_block_once_in_order_and_as_long_as_it_allows) {
  const lattice_site lattice{4, 6, 2, 8};
  const auto runs_of = [&](const site_block& block, std::uint64_t longest) {
    std::size_t runs = 0;
    std::set<std::uint64_t> seen;
    for_each_run(lattice, block, longest, [&](std::uint64_t first, std::uint64_t count) {
      ++runs;
      BOOST_TEST(count <= longest);
      for (std::uint64_t n = first; n < first + count; ++n) {
        BOOST_TEST(contains(block, site_at(lattice, n)));
        BOOST_TEST(seen.insert(n).second);
      }
    });
    BOOST_TEST(seen.size() == site_count(block.extents));
    return runs;
  };
  BOOST_TEST(runs_of({{0, 0, 0, 0}, {4, 6, 2, 8}}, 10000) == 1U);
  BOOST_TEST(runs_of({{0, 0, 0, 2}, {4, 6, 2, 3}}, 10000) == 1U);
  BOOST_TEST(runs_of({{0, 2, 0, 0}, {4, 3, 2, 8}}, 10000) == 16U);
  BOOST_TEST(runs_of({{1, 0, 0, 0}, {2, 6, 2, 8}}, 10000) == 96U);
  BOOST_TEST(runs_of({{0, 0, 0, 0}, {4, 6, 2, 8}}, 7) == 55U);
}
