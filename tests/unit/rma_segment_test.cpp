#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/window.hpp>

#include "support/ranks.hpp"
#include "transport/stores/control_block.hpp"

using namespace onehop;
using test::contains;
using test::expect;
using test::message_of;

namespace {

/// first_page is the segment's first page, to damage it.
class first_page {
 public:
  explicit first_page(int segment)
      : base_(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, segment, 0)) {}
  ~first_page() { munmap(base_, 4096); }
  stores::control_block* operator->() { return static_cast<stores::control_block*>(base_); }

 private:
  void* base_;
};

/// Joins in a process of its own and returns what went wrong there.
std::string join_refusal(int segment, int rank = 0, int ranks = 2) {
  test::child_process child([&] {
    const std::string message =
        message_of<usage_error>([&] { test::join_as(segment, rank, ranks); });
    throw std::runtime_error(message);
  });
  return child.wait().message;
}

struct segment {
  int fd;
  explicit segment(int ranks) : fd(create_segment(ranks)) {}
  ~segment() { close(fd); }
};

/// A job of two ranks takes this many bytes of /dev/shm before it has windows.
const std::size_t blocks_of_two = stores::control_block::bytes(2, stores::message_ring_bytes(2));

/// Gives this process a /dev/shm of its own of a few KiB; returns false where the system does not
/// let us.
bool shrink_shm(const char* size) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return mount("tmpfs", "/dev/shm", "tmpfs", 0, size) == 0;
}

/// Runs `body` with a /dev/shm of this size; says so and passes where that cannot be had.
void with_small_shm(std::size_t bytes, const std::function<void()>& body) {
  const std::string skipped = "skipped";
  test::child_process child([&] {
    if (!shrink_shm(("size=" + std::to_string(bytes)).c_str())) throw std::runtime_error(skipped);
    body();
  });
  const test::rank_end end = child.wait();
  if (end.message == skipped)
    BOOST_TEST_MESSAGE("skipped: this system lets nobody mount a small /dev/shm");
  else
    BOOST_TEST(end.good(), "signal " << end.signal << " " << end.message);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_segment_has_no_name_and_is_ours_alone) {
  const segment job(4);
  struct stat info {};
  BOOST_REQUIRE(fstat(job.fd, &info) == 0);
  BOOST_TEST(info.st_nlink == 0u);
  BOOST_TEST((info.st_mode & 07777) == 0600u);
  BOOST_TEST((fcntl(job.fd, F_GETFD) & FD_CLOEXEC) != 0);
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    BOOST_TEST(!contains(entry.path().string(), "onehop"), entry.path());
}

BOOST_AUTO_TEST_CASE(only_what_is_used_takes_memory) {
  const segment job(2);
  struct stat info {};
  BOOST_REQUIRE(fstat(job.fd, &info) == 0);
  BOOST_TEST(static_cast<std::size_t>(info.st_blocks) * 512 <=
             stores::control_block::bytes(2, stores::message_ring_bytes(2)));
  const auto ends = test::run_in_processes(2, [](context ctx) {
    for (int round = 0; round < 3; ++round) window::allocate(ctx, 1 << 20);
  });
  for (const test::rank_end& end : ends) BOOST_TEST(end.good(), end.message);
}

BOOST_AUTO_TEST_CASE(another_version_build_or_file_is_refused) {
  {
    const segment job(2);
    first_page(job.fd)->build[10] ^= 1;
    BOOST_TEST(contains(join_refusal(job.fd), "use the same build for both"));
  }
  {
    const segment job(2);
    first_page(job.fd)->build[0] = 'x';
    BOOST_TEST(contains(join_refusal(job.fd), "the launcher is onehop x.1.0 "));
  }
  {
    const segment job(2);
    first_page(job.fd)->magic = 0;
    BOOST_TEST(contains(join_refusal(job.fd), "is not a onehop segment"));
  }
  {
    // A launcher that laid the segment out for other sizes, or one that was cut.
    const segment job(2);
    first_page(job.fd)->capacity += 4096;
    BOOST_TEST(contains(join_refusal(job.fd), "bytes for 2 ranks, but has "));
  }
  {
    const segment job(2);
    first_page(job.fd)->ranks = 0;
    BOOST_TEST(contains(join_refusal(job.fd), "bytes for 0 ranks, but has "));
  }
  BOOST_TEST(contains(join_refusal(2), "descriptor 2 is not a onehop segment"));
  BOOST_TEST(contains(join_refusal(999), "descriptor 999 is not a onehop segment"));
}

BOOST_AUTO_TEST_CASE(ranks_that_do_not_fit_the_job_are_refused) {
  const segment job(3);
  BOOST_TEST(contains(join_refusal(job.fd, 0, 2), "was made for 3 ranks"));
  BOOST_TEST(contains(join_refusal(job.fd, 3, 3), "ONEHOP_RANK is 3 and ONEHOP_SIZE is 3"));
  test::child_process child([&] {
    const context ctx = test::join_as(job.fd, 1, 3);
    const auto again = [&] { test::join_as(job.fd, 1, 3); };
    throw std::runtime_error(message_of<usage_error>(again));
  });
  BOOST_TEST(contains(child.wait().message, "rank 1 joins its job a second time"));
}

BOOST_AUTO_TEST_CASE(impossible_jobs_are_refused) {
  BOOST_TEST(contains(message_of<usage_error>([] { create_segment(0); }), "a job of 0 ranks"));
  BOOST_TEST(contains(message_of<usage_error>([] { create_segment(5000); }), "give 1 to 4096"));
  BOOST_TEST(contains(message_of<usage_error>([] { join("tcp"); }), "'tcp' is not known"));
  const auto lonely = [](const char* name, const char* value, const char* transport) {
    test::child_process child([=] {
      setenv(name, value, 1);
      throw std::runtime_error(message_of<usage_error>([=] { join(transport); }));
    });
    return child.wait().message;
  };
  BOOST_TEST(contains(lonely("ONEHOP_RANK", "0", "auto"), "only one of ONEHOP_RANK and"));
  BOOST_TEST(contains(lonely("ONEHOP_RNK", "0", "auto"), "ONEHOP_RANK?"));
  test::child_process child([] {
    setenv("ONEHOP_RANK", "0", 1);
    setenv("ONEHOP_SIZE", "2", 1);
    const std::string self = message_of<usage_error>([] { join("self"); });
    expect(contains(self, "transport self has one rank, this job has 2"), self);
    const std::string shm = message_of<usage_error>([] { join("auto"); });
    expect(contains(shm, "ONEHOP_SEGMENT_FD is not set"), shm);
  });
  BOOST_TEST(child.wait().message == "");
}

BOOST_AUTO_TEST_CASE(a_program_started_alone_is_a_job_of_one) {
  BOOST_TEST(join().size() == 1);
  BOOST_TEST(join().transport() == "self");
  BOOST_TEST(join("shm").size() == 1);
  BOOST_TEST(join("shm").transport() == "shm");
}

BOOST_AUTO_TEST_CASE(a_small_shm_is_an_error_on_all_ranks_not_a_crash) {
  with_small_shm(blocks_of_two + 151'552, [] {
    const auto ends = test::run_in_processes(2, [](context ctx) {
      const std::string message = message_of<resource_error>(
          [&] { window::allocate(ctx, ctx.rank() == 1 ? 150'000 : 10); });
      expect(contains(message, "bytes"), message);
      const window small = window::allocate(ctx, 4096);
      small.local(1)[4095] = std::byte{1};
      // Together the windows need more than there is, and alone each would have room.
      message_of<resource_error>([&] { window::allocate(ctx, 60'000); });
      barrier(ctx);
    });
    for (const test::rank_end& end : ends) expect(end.good(), end.message);
  });
}

BOOST_AUTO_TEST_CASE(a_full_shm_is_an_error_on_all_ranks_not_a_crash) {
  with_small_shm(1'048'576, [] {
    // Another program has taken most of it.
    const int other = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
    expect(posix_fallocate(other, 0, 1'010'592 - blocks_of_two) == 0, "room for the other");
    const auto ends = test::run_in_processes(2, [](context ctx) {
      const std::string message =
          message_of<resource_error>([&] { window::allocate(ctx, 100'000); });
      expect(contains(message, "in /dev/shm, where ") && contains(message, "of 1048576 bytes"),
             message);
      const window small = window::allocate(ctx, 4096);
      small.local(1)[4095] = std::byte{1};
      barrier(ctx);
    });
    for (const test::rank_end& end : ends) expect(end.good(), end.message);
  });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Sanitizers reserve more memory than any limit.
BOOST_AUTO_TEST_CASE(a_limit_on_address_space_is_shared_by_windows_and_the_program) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  test::child_process child([] {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + 1024 * mib;
    const rlimit most{bytes, bytes};
    expect(setrlimit(RLIMIT_AS, &most) == 0, "a limit");
    const auto work = [](const context& ctx) {
      const window small = window::allocate(ctx, 8 * mib);
      small.local(1)[4095] = std::byte{1};
      const std::vector<std::byte> own(256 * mib);
      const std::string message =
          message_of<resource_error>([&] { window::allocate(ctx, 1024 * mib); });
      expect(contains(message, "raise the limit on address space (ulimit -v)"), message);
    };
    work(join("self"));
    for (const test::rank_end& end : test::run_in_processes(2, work))
      expect(end.good(), end.message);
  });
  BOOST_TEST(child.wait().message == "");
}
#endif

BOOST_AUTO_TEST_CASE(no_room_even_for_the_control_area_is_one_clear_error) {
  with_small_shm(16'384, [] {
    const std::string message = message_of<resource_error>([] { create_segment(4); });
    expect(contains(message, "no room for ") && contains(message, "of 16384 bytes are free"),
           message);
  });
}
