// Runs MPI programs under sanitizers as ranks of jobs. test_mpi_programs.py compares their output
// with that of another MPI.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>

#include "support/programs.hpp"

namespace data = boost::unit_test::data;

namespace {

void all_end_well(const std::string& name, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{MPI_PROGRAMS + ("/mpi_" + name)};
  words.insert(words.end(), more.begin(), more.end());
  for (const test::rank_end& end : test::run_program(words, 3))
    BOOST_TEST(end.good(), name << ": signal " << end.signal << " " << end.message);
}

const std::vector<const char*> programs{
    "messages",    "datatypes", "collectives", "communicators", "later",  "neighbours",
    "windows",     "others",    "orders",      "threads",       "rarely", "sessions",
    "partitioned", "accesses",  "epochs",      "aliases",       "parts"};

}  // namespace

BOOST_DATA_TEST_CASE(programs_of_mpi_touch_no_wrong_memory, data::make(programs), program) {
  all_end_well(program);
}

BOOST_DATA_TEST_CASE(random_calls_touch_no_wrong_memory,
                     data::make({"random_messages", "random_collectives", "random_windows"}) *
                         data::make({1, 2}),
                     program, seed) {
  all_end_well(program, {std::to_string(seed), "15"});
}

BOOST_AUTO_TEST_CASE(long_reads_of_windows_touch_no_wrong_memory) {
  all_end_well("asleep", {"20"});
}

BOOST_AUTO_TEST_CASE(files_of_mpi_touch_no_wrong_memory) {
  std::string folder = std::filesystem::temp_directory_path() / "onehop_XXXXXX";
  BOOST_REQUIRE(mkdtemp(folder.data()) != nullptr);
  all_end_well("files", {folder + "/file"});
  all_end_well("random_files", {folder + "/file", "1", "10", "wrong"});
  std::filesystem::remove_all(folder);
}
