#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <string>

#include "machine/control_group.hpp"

namespace {

using onehop::control_group;
using std::filesystem::path;

/// A folder of files as the kernel has them, which goes with the test.
struct groups {
  path folder =
      std::filesystem::temp_directory_path() / ("control_group_test." + std::to_string(getpid()));

  ~groups() { std::filesystem::remove_all(folder); }
  void write(const path& file, const std::string& content) const {
    std::filesystem::create_directories((folder / file).parent_path());
    std::ofstream(folder / file) << content << '\n';
  }
  [[nodiscard]] control_group of(const std::string& lines) const {
    write("self", lines);
    return control_group(folder / "self", folder / "mounted");
  }
};

BOOST_AUTO_TEST_CASE(the_tightest_limit_from_the_own_group_up_holds) {
  const groups here;
  here.write("mounted/slurm/memory.max", "1000");
  here.write("mounted/slurm/job_1/memory.max", "max");
  here.write("mounted/slurm/job_1/step/memory.max", "5000");
  here.write("mounted/slurm/job_1/cpu.max", "150000 100000");
  here.write("mounted/slurm/job_1/step/cpu.max", "max 100000");
  const control_group step = here.of("0::/slurm/job_1/step");
  BOOST_TEST(step.memory_bytes() == 1000u);
  BOOST_TEST(step.cores() == 2u);
}

BOOST_AUTO_TEST_CASE(version_1_has_a_folder_for_each_controller) {
  const groups here;
  here.write("mounted/memory/job/memory.limit_in_bytes", "2000");
  here.write("mounted/memory/memory.limit_in_bytes", "9223372036854771712");
  here.write("mounted/cpu/cpu.cfs_quota_us", "-1");
  here.write("mounted/cpu/job/cpu.cfs_quota_us", "400000");
  here.write("mounted/cpu/job/cpu.cfs_period_us", "100000");
  const control_group job = here.of("4:memory:/job\n2:cpuacct,cpu:/job\n1:cpuset:/other");
  BOOST_TEST(job.memory_bytes() == 2000u);
  BOOST_TEST(job.cores() == 4u);
}

BOOST_AUTO_TEST_CASE(a_container_sees_its_own_group_as_the_root) {
  const groups here;
  here.write("mounted/memory/memory.limit_in_bytes", "3000");
  BOOST_TEST(here.of("4:memory:/docker/0a1b").memory_bytes() == 3000u);
}

BOOST_AUTO_TEST_CASE(without_a_limit_everything_is_granted) {
  const groups here;
  here.write("mounted/memory.max", "max");
  here.write("mounted/memory/memory.limit_in_bytes", "9223372036854771712");
  here.write("mounted/cpu.max", "rubbish");
  for (const char* lines : {"", "0::/", "no groups at all", "4:memory"}) {
    BOOST_TEST(here.of(lines).memory_bytes() == control_group::unlimited);
    BOOST_TEST(here.of(lines).cores() == control_group::unlimited);
  }
}

}  // namespace
