// Programs in C as the ranks of jobs, started as the launcher starts them.

#include <fcntl.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "support/ranks.hpp"

namespace {

const std::vector<const char*> programs{C_CHAINS, C_FIELDS};
const std::vector<int> ranks{2, 4};

/// Becomes the program as one rank of the job.
void be(const char* program, int segment, int rank, int size) {
  setenv("ONEHOP_RANK", std::to_string(rank).c_str(), 1);
  setenv("ONEHOP_SIZE", std::to_string(size).c_str(), 1);
  setenv("ONEHOP_SEGMENT_FD", std::to_string(segment).c_str(), 1);
  fcntl(segment, F_SETFD, 0);
  execl(program, program, nullptr);
  throw std::runtime_error("cannot be started");
}

}  // namespace

BOOST_DATA_TEST_CASE(programs_in_c_do_all_that_the_header_has,
                     boost::unit_test::data::make(programs) * ranks, program, size) {
  const int segment = onehop::create_segment(size);
  std::vector<test::child_process> children;
  for (int rank = 0; rank < size; ++rank)
    children.emplace_back([&] { be(program, segment, rank, size); });
  for (test::child_process& child : children) {
    const test::rank_end end = child.wait();
    BOOST_TEST(end.good(), program << ": signal " << end.signal << " " << end.message);
  }
  close(segment);
}
