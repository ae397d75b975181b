// Solves in C++ must read what the file of onehop tune says.

#include <onehop/context.hpp>
#include <onehop/error.hpp>
#include <onehop/tuning.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/text.hpp"
#include "fuzz/mutator.hpp"
#include "tuning/tuning.hpp"

using namespace onehop;

namespace {

/// tuning_of_this_test is a tuning file for as long as it lives, which ONEHOP_TUNING names.
class tuning_of_this_test {
 public:
  explicit tuning_of_this_test(const std::string& content)
      : path_(std::filesystem::temp_directory_path() / "onehop_tuning_test.json") {
    std::ofstream(path_) << content;
    setenv("ONEHOP_TUNING", path_.c_str(), 1);
  }
  ~tuning_of_this_test() {
    unsetenv("ONEHOP_TUNING");
    std::filesystem::remove(path_);
  }
  tuning_of_this_test(const tuning_of_this_test&) = delete;
  tuning_of_this_test& operator=(const tuning_of_this_test&) = delete;

 private:
  std::filesystem::path path_;
};

std::string with_hops(const std::string& hops, const std::string& more = "") {
  const tuning_identity& here = tuning_identity::here();
  return text(R"({"schema": "onehop.tuning/1", "identity": {"version": ")", here.version,
              R"(", "host": ")", here.host, R"(", "cpu_model": ")", here.cpu_model, more,
              R"(", "isa": ")", here.isa, R"("}, "hops": )", hops, "}");
}

const std::string wilson_hops =
    R"({"wilson/single/18/4x4x4x8/1x1x1x1/1": {"ways": {"3": "order:2x2x2", "6": ""}, "together": 6}})";

/// Returns what a solve on one rank does where rhs is left open.
int chosen(const solve_options& options) {
  int rhs = 0;
  run_on_threads(1, [&](context ctx) { rhs = default_rhs(geometry(ctx, {4, 4, 4, 8}), options); });
  return rhs;
}

std::string refusal() {
  try {
    tuning::read();
  } catch (const usage_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_solve_takes_as_many_right_hand_sides_as_were_found_best) {
  const tuning_of_this_test file(with_hops(wilson_hops));
  BOOST_TEST(chosen({.precision = precision::mixed}) == 6);
  BOOST_TEST(chosen({.dirac = clover{}, .precision = precision::single}) == 6);
  BOOST_TEST(chosen({}) == 4);  // in double nothing was tuned
  BOOST_TEST(chosen({.precision = precision::mixed, .threads = 2}) == 4);
  BOOST_TEST(chosen({.solver = solver_kind::block_cg, .precision = precision::mixed}) == 12);
}

BOOST_AUTO_TEST_CASE(a_hop_goes_the_way_that_was_found_best) {
  const tuning_of_this_test file(with_hops(wilson_hops));
  const tuning found = tuning::read();
  BOOST_TEST(found.holds);
  const std::string hop = "wilson/single/18/4x4x4x8/1x1x1x1/1";
  BOOST_TEST((found.way_of(hop, 3).pieces == std::array{2, 2, 2}));
  BOOST_TEST(!found.way_of(hop, 4).pieces.has_value());
  BOOST_TEST(!found.way_of("wilson/double/18/4x4x4x8/1x1x1x1/1", 3).pieces.has_value());
}

BOOST_AUTO_TEST_CASE(a_file_of_another_machine_counts_as_none) {
  const tuning_of_this_test file(with_hops(wilson_hops, "x"));
  BOOST_TEST(tuning::read().found);
  BOOST_TEST(!tuning::read().holds);
  BOOST_TEST(chosen({.precision = precision::mixed}) == 4);
}

BOOST_AUTO_TEST_CASE(a_file_of_another_version_counts_as_none) {
  const tuning_of_this_test file(R"({"schema": "onehop.tuning/9", "hops": "in its own words"})");
  BOOST_TEST(tuning::read().found);
  BOOST_TEST(!tuning::read().holds);
  BOOST_TEST(chosen({.precision = precision::mixed}) == 4);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_tuning_is_refused_by_name) {
  const std::string damaged[] = {
      with_hops(R"({"wilson": {"ways": {"1": "fast"}}})"),
      with_hops(R"({"wilson": {"ways": {"one": ""}}})"),
      with_hops(R"({"wilson": {"ways": {}, "together": 0}})"),
      with_hops(R"({"wilson": {"ways": {}, "together": 2147483648}})"),
      with_hops(R"({"wilson": {"ways": {"1": "two\nlines"}}})"),
      with_hops(R"({"wilson": 3})"),
  };
  for (const std::string& content : damaged) {
    const tuning_of_this_test file(content);
    BOOST_TEST(refusal().find("onehop_tuning_test.json is damaged (") != std::string::npos);
    BOOST_TEST(refusal().find('\n') == std::string::npos);
    BOOST_CHECK_THROW(chosen({}), usage_error);
  }
  const tuning_of_this_test file("{");
  BOOST_TEST(
      refusal().find("is not JSON, so not of onehop tune; name another file with ONEHOP_TUNING") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_damaged_file_is_read_or_refused_in_one_line) {
  const std::string whole = with_hops(wilson_hops);
  fuzz::mutator mutate(7);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    const tuning_of_this_test file(mutate(whole, whole));
    const std::string line = refusal();
    refused += !line.empty();
    BOOST_TEST(line.find('\n') == std::string::npos, line);
  }
  BOOST_TEST(refused > 500);
}

BOOST_AUTO_TEST_CASE(a_file_that_was_named_must_be_there) {
  setenv("ONEHOP_TUNING", "/nowhere/tuning.json", 1);
  BOOST_TEST(refusal() == "ONEHOP_TUNING: /nowhere/tuning.json does not exist; run onehop tune");
  unsetenv("ONEHOP_TUNING");
}

BOOST_AUTO_TEST_CASE(a_home_that_is_no_folder_has_no_tuning) {
  const char* const home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/dev/null", 1);
  BOOST_TEST(refusal() == "");
  BOOST_TEST(!tuning::read().found);
  setenv("HOME", before.c_str(), 1);
}
