#include <boost/test/unit_test.hpp>
#include <onehop/error.hpp>

#include "base/environment.hpp"
#include "support/ranks.hpp"

using namespace onehop;

namespace {

environment parse(const std::vector<std::string_view>& variables) {
  return environment::parse(variables);
}
std::string refusal(const std::vector<std::string_view>& variables) {
  return test::message_of<usage_error>([&] { parse(variables); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(variables_of_others_are_left_alone) {
  const environment result = parse({"PATH=/bin", "ONEHO=x", "HOME=/", "EMPTY=", "NONE"});
  BOOST_TEST(!result.rank.has_value());
  BOOST_TEST(!result.segment_fd.has_value());
  BOOST_TEST((result.deadline == std::chrono::seconds(60)));
  BOOST_TEST(result.simd == "auto");
}

BOOST_AUTO_TEST_CASE(known_variables_are_read) {
  const environment result =
      parse({"ONEHOP_RANK=3", "ONEHOP_SIZE=4", "ONEHOP_SEGMENT_FD=7", "ONEHOP_DEADLINE_S=0.25",
             "ONEHOP_SIMD=avx2", "ONEHOP_REPORT_FD=8", "ONEHOP_TEST_DATA="});
  BOOST_TEST(result.rank.value() == 3);
  BOOST_TEST(result.size.value() == 4);
  BOOST_TEST(result.segment_fd.value() == 7);
  BOOST_TEST((result.deadline == std::chrono::milliseconds(250)));
  BOOST_TEST(result.simd == "avx2");
}

// Who exports them for a build has them set when it runs too.
BOOST_AUTO_TEST_CASE(variables_of_builds_are_left_alone) {
  BOOST_CHECK_NO_THROW(parse({"ONEHOP_CUDA=OFF", "ONEHOP_ISA=portable", "ONEHOP_MPI=OFF"}));
}

BOOST_AUTO_TEST_CASE(a_misspelt_variable_is_an_error_with_the_nearest_name) {
  const std::string message = refusal({"ONEHOP_DEADLINE=3"});
  BOOST_TEST(test::contains(message, "ONEHOP_DEADLINE is not known"), message);
  BOOST_TEST(test::contains(message, "ONEHOP_DEADLINE_S?"), message);
  BOOST_TEST(test::contains(refusal({"ONEHOP_SMID=plain"}), "ONEHOP_SIMD?"));
}

BOOST_AUTO_TEST_CASE(a_name_that_is_longer_or_shorter_is_nearer_than_one_of_like_letters) {
  constexpr std::string_view known[] = {"recon", "tol", "prec"};
  BOOST_TEST(nearest_name("precision", known) == "prec");
  BOOST_TEST(nearest_name("pre", known) == "prec");
  BOOST_TEST(nearest_name("recno", known) == "recon");
}

BOOST_AUTO_TEST_CASE(values_out_of_range_are_errors_that_quote_them) {
  for (const std::string_view value :
       {"ONEHOP_RANK=", "ONEHOP_RANK=-1", "ONEHOP_RANK=2x", "ONEHOP_SIZE=0", "ONEHOP_SIZE=1e3",
        "ONEHOP_DEADLINE_S=0", "ONEHOP_DEADLINE_S=nan", "ONEHOP_DEADLINE_S=inf",
        "ONEHOP_DEADLINE_S=1 s", "ONEHOP_SIMD=AVX2", "ONEHOP_SEGMENT_FD=99999999999"}) {
    const std::string message = refusal({value});
    const std::string quoted = "'" + std::string(value.substr(value.find('=') + 1)) + "'";
    BOOST_TEST(test::contains(message, quoted), message);
  }
}

BOOST_AUTO_TEST_CASE(the_table_documents_every_variable) {
  for (const environment_variable& variable : known_environment())
    BOOST_TEST(!variable.help.empty(), variable.name);
}
