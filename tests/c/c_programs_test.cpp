// Programs in C as the ranks of jobs, started as the launcher starts them.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "support/programs.hpp"

namespace {

const std::vector<const char*> programs{C_CHAINS, C_COLLECTIVES, C_FIELDS};
const std::vector<int> ranks{2, 4};

}  // namespace

BOOST_DATA_TEST_CASE(programs_in_c_do_all_that_the_header_has,
                     boost::unit_test::data::make(programs) * ranks, program, size) {
  for (const test::rank_end& end : test::run_program({program}, size))
    BOOST_TEST(end.good(), program << ": signal " << end.signal << " " << end.message);
}
