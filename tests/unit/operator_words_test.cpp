// Operators have names, and parameters that they do not have are refused, in the words that were
// given.

#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "solver/operator_words.hpp"
#include "solver/option_words.hpp"

using namespace onehop;

namespace {

dirac_operator make(std::string_view dslash, const std::vector<named_value>& values) {
  return make_operator(dslash, values);
}

std::string refusal(std::string_view dslash, const std::vector<named_value>& values) {
  try {
    make(dslash, values);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(names_make_the_operator_with_defaults_for_the_rest) {
  const auto made = std::get<clover>(make("clover", {{"mass", 0.1}, {"mu", 0.2}}));
  BOOST_TEST(made.mass == 0.1);
  BOOST_TEST(made.csw == clover{}.csw);
  BOOST_TEST(made.mu == 0.2);
  BOOST_TEST(std::get<wilson>(make("wilson", {{"kappa", 0.125}})).mass == 0.0);
  const std::vector<named_value> options = {{"--mass", 0.1}, {"--naik-epsilon", -0.2}};
  BOOST_TEST(std::get<hisq>(make("hisq", options)).naik_epsilon == -0.2);
}

BOOST_AUTO_TEST_CASE(every_operator_is_named_as_it_is_called) {
  for (const std::string_view word : option_words<dslash>::all) {
    const dirac_operator made = make(word, {{"mass", 0.3}});
    BOOST_TEST(word_of(kind_of(made)) == word);
    BOOST_TEST(mass_of(made) == 0.3);
    BOOST_TEST((kind_of(made) == kind_of(operator_of(kind_of(made)))));
  }
}

BOOST_AUTO_TEST_CASE(a_parameter_that_the_operator_has_not_is_refused) {
  BOOST_TEST(refusal("wilson", {{"mass", 0.1}, {"--csw", 1.5}}) ==
             "--csw 1.5 is for clover; wilson has no clover term");
  BOOST_TEST(refusal("staggered", {{"mass", 0.1}, {"mu", 0.1}}) ==
             "mu 0.1 is for wilson and clover; staggered has no twisted mass");
  BOOST_TEST(refusal("hisq", {{"mass", 0.1}, {"u0", 0.9}}) ==
             "u0 0.9 is for asqtad; hisq has no tadpole factor");
  BOOST_TEST(refusal("staggered", {{"kappa", 0.1}}) ==
             "kappa 0.1 is for wilson and clover; staggered quarks have a mass and no kappa");
  BOOST_TEST(refusal("wilson", {{"masse", 0.1}}) ==
             "no operator has a parameter masse; there are kappa, mass, csw, mu, u0, naik_epsilon");
  BOOST_TEST(refusal("wislon", {{"mass", 0.1}}) ==
             "unknown dslash 'wislon'; choose wilson, clover, staggered, asqtad, hisq");
}

BOOST_AUTO_TEST_CASE(the_mass_is_said_once) {
  BOOST_TEST(refusal("wilson", {{"--kappa", 0.13}, {"--mass", 0.5}}) ==
             "--kappa 0.13 and --mass 0.5 both given; give one of them");
  BOOST_TEST(refusal("wilson", {}) == "the quark mass is missing; give kappa or mass");
  BOOST_TEST(refusal("hisq", {}) == "the quark mass is missing; give mass");
  BOOST_TEST(refusal("wilson", {{"kappa", 0.0}}) == "kappa 0: a number above 0 is needed");
}
