// Files and sockets that the processes of a job open are for their own user. Another user is tried
// where the test may become one.

#include <fcntl.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <onehop/launch.hpp>
#include <thread>

#include "benchmarks/line_socket.hpp"
#include "support/ranks.hpp"

using onehop::bench::line_socket;

namespace {

constexpr uid_t nobody = 65534;

/// Returns what became of a call that another user's process makes; nothing where we may not become
/// one.
std::string as_stranger(const std::function<void()>& call) {
  test::child_process child([&] {
    if (setresgid(nobody, nobody, nobody) != 0 || setresuid(nobody, nobody, nobody) != 0)
      throw std::runtime_error("skipped");
    call();
  });
  return child.wait().message;
}

struct open_folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("onehop_privacy_" + std::to_string(getpid()));
  // The folder is open to all, so that nothing but the socket itself refuses.
  open_folder() : mask(umask(0)) { std::filesystem::create_directory(path); }
  ~open_folder() {
    umask(mask);
    std::filesystem::remove_all(path);
  }
  mode_t mask;
};

}  // namespace

BOOST_AUTO_TEST_CASE(another_user_cannot_open_a_segment) {
  const int segment = onehop::create_segment(2);
  const std::string file = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(segment);
  const int own = open(file.c_str(), O_RDWR | O_CLOEXEC);
  BOOST_TEST(own >= 0);
  const std::string told = as_stranger([&] {
    if (open(file.c_str(), O_RDONLY | O_CLOEXEC) >= 0) throw std::runtime_error("opened");
  });
  BOOST_TEST((told.empty() || told == "skipped"), told);
  close(own);
  close(segment);
}

BOOST_AUTO_TEST_CASE(a_socket_turns_strangers_away_and_waits_on) {
  const open_folder folder;
  const std::string path = folder.path / "door";
  std::string heard;
  std::jthread server([&] {
    if (line_socket caller = line_socket::accept_one(path, 20)) caller.read(heard, 20);
  });
  while (!std::filesystem::exists(path)) std::this_thread::yield();
  const std::string told = as_stranger([&] {
    line_socket door = line_socket::connect_to(path);
    std::string answer;
    if (!door) throw std::runtime_error("could not even knock");
    door.write("let me in");
    if (door.read(answer, 20)) throw std::runtime_error("was answered");
  });
  BOOST_TEST((told.empty() || told == "skipped"), told);
  line_socket friendly = line_socket::connect_to(path);
  BOOST_REQUIRE(static_cast<bool>(friendly));
  BOOST_TEST(friendly.write("it is me"));
  server.join();
  BOOST_TEST(heard == "it is me");
}

BOOST_AUTO_TEST_CASE(a_socket_that_nobody_comes_to_gives_up) {
  const open_folder folder;
  BOOST_TEST(!line_socket::accept_one(folder.path / "door", 0));
}
