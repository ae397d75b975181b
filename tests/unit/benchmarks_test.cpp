#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <onehop/error.hpp>
#include <thread>

#include "benchmarks/interleave.hpp"
#include "benchmarks/make.hpp"
#include "benchmarks/peers/serve.hpp"
#include "benchmarks/touched_halo.hpp"
#include "support/ranks.hpp"

using namespace onehop;
using namespace onehop::bench;
using test::expect;

namespace {

const schedule quick{{measure::microseconds(0), measure::microseconds(20000), 0.5, 2},
                     measure::microseconds(20),
                     0,
                     1,
                     4};

/// A broken_exchange has faces that stay on their rank; what arrives has some bytes changed, in
/// every step or from one on.
class broken_exchange {
 public:
  broken_exchange(std::size_t bytes, std::vector<std::size_t> damaged)
      : faces_{0, 1, {bytes}}, memory_(bytes), damaged_(std::move(damaged)) {}

  const ring_faces& faces() const { return faces_; }
  std::string name() const { return "broken"; }
  std::string describe() const { return {}; }
  std::span<std::byte> sending(std::size_t) { return memory_; }
  void start() {}
  void wait() {
    for (const std::size_t at : damaged_) memory_[at] ^= std::byte{1};
  }
  std::span<const std::byte> received(std::size_t) const { return memory_; }
  void release() {}
  static constexpr bool streams() { return false; }

 private:
  ring_faces faces_;
  std::vector<std::byte> memory_;
  std::vector<std::size_t> damaged_;
};

std::uint64_t wrong_of(std::size_t bytes, std::vector<std::size_t> damaged, bool checked) {
  touched_halo<broken_exchange> halo({broken_exchange(bytes, std::move(damaged))});
  checked ? halo.run_checked(3) : halo.run(3);
  return halo.wrong();
}

cell make_cell(const std::string& pattern, std::vector<std::size_t> faces) {
  cell what;
  what.pattern = pattern;
  what.face_bytes = std::move(faces);
  return what;
}

void expect_right(const context& ctx, const cell& what) {
  contenders list = make_contenders(ctx, what);
  const outcome found = interleave(ctx, list, quick);
  expect(!found.disturbed.empty() && !found.why.empty(), what.pattern);
  for (const series& one : found.all) {
    expect(one.wrong == 0, what.pattern + " " + one.name);
    expect(one.us.size() == found.disturbed.size(), "one sample per round");
    for (const double us : one.us) expect(us > 0, "time passes");
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(wrong_bytes_are_counted_in_timed_and_checked_steps) {
  for (const bool checked : {false, true}) {
    BOOST_TEST(wrong_of(96, {}, checked) == 0U);
    BOOST_TEST(wrong_of(96, {17}, checked) == 3U);
    BOOST_TEST(wrong_of(96, {0, 50, 95}, checked) == 9U);
    // The tail behind the last whole word counts as well.
    BOOST_TEST(wrong_of(13, {12}, checked) == 3U);
    BOOST_TEST(wrong_of(3, {0}, checked) == 3U);
  }
}

BOOST_AUTO_TEST_CASE(wrong_bytes_of_all_ranks_reach_the_outcome) {
  run_on_threads(2, [](context ctx) {
    contenders list;
    std::vector<std::size_t> damaged;
    if (ctx.rank() == 1) damaged = {5};
    list.push_back(
        std::make_unique<touched_halo<broken_exchange>>(std::vector{broken_exchange(64, damaged)}));
    const outcome found = interleave(ctx, list, quick);
    expect(found.all[0].wrong >= 8, "at least the checked steps");
  });
}

BOOST_AUTO_TEST_CASE(streamed_faces_are_the_plain_ones) {
  for (const std::size_t bytes : {8U, 64U, 96U, 200U, 4096U}) {
    alignas(64) std::array<std::byte, 4096> memory;
    const std::span<std::byte> face = std::span(memory).first(bytes);
    fill_streaming(face, 12345);
    streaming_fence();
    BOOST_TEST(count_wrong(face, 12345) == 0U);
    BOOST_TEST(sum(face) == expected_sum(bytes, 12345));
    std::array<std::byte, 4097> copy{};
    streaming_copy(copy.data() + 1, memory.data(), bytes);
    streaming_fence();
    BOOST_TEST(count_wrong(std::span(copy).subspan(1, bytes), 12345) == 0U);
  }
}

BOOST_AUTO_TEST_CASE(every_pattern_brings_every_byte) {
  for (const int ranks : {1, 2}) {
    run_on_threads(ranks, [](context ctx) {
      for (const char* pattern :
           {"latency", "pingping", "put", "get", "bandwidth", "bibandwidth", "commit", "allreduce",
            "reduce_scatter", "broadcast", "allgather", "alltoall", "alltoallv", "barrier"}) {
        cell what = make_cell(pattern, {8});
        expect_right(ctx, what);
        what.check_inside = true;
        expect_right(ctx, what);
      }
    });
  }
}

BOOST_AUTO_TEST_CASE(faces_bring_every_byte_in_whatever_rows_they_lie) {
  for (const int ranks : {2, 4})
    run_on_threads(ranks, [](context ctx) {
      for (const std::size_t rows : {1, 4}) {
        cell what = make_cell("faces", {96});
        what.rows = rows;
        expect_right(ctx, what);
      }
    });
  BOOST_CHECK_THROW(make_contenders(join("self"), make_cell("faces", {8})), usage_error);
}

BOOST_AUTO_TEST_CASE(packed_ping_ping_brings_every_byte) {
  run_on_threads(2, [](context ctx) {
    for (const std::size_t bytes : {13, 4096}) {
      cell what = make_cell("pingping", {bytes});
      what.packed = true;
      what.check_inside = true;
      what.messages = 3;
      expect_right(ctx, what);
      what.check_inside = false;
      test::message_of<usage_error>([&] { make_contenders(ctx, what); });
    }
  });
}

BOOST_AUTO_TEST_CASE(halo_of_every_kind_brings_every_byte) {
  for (const int ranks : {1, 2, 3}) {
    run_on_threads(ranks, [](context ctx) {
      cell what = make_cell("halo", {96, 96, 13, 4096});
      what.packed = true;
      what.against_hand = true;
      expect_right(ctx, what);
      what.packed = false;
      what.against_hand = false;
      what.channels = 3;
      what.rotate_bytes = 20000;
      expect_right(ctx, what);
    });
  }
}

BOOST_AUTO_TEST_CASE(hand_written_allreduce_gives_the_sum) {
  run_on_threads(3, [](context ctx) {
    cell what = make_cell("allreduce", {128});
    what.against_hand = true;
    expect_right(ctx, what);
  });
}

BOOST_AUTO_TEST_CASE(pairs_need_an_even_number_of_ranks) {
  run_on_threads(3, [](context ctx) {
    test::message_of<usage_error>([&] { make_contenders(ctx, make_cell("latency", {8})); });
  });
}

namespace {

/// home_faces serve a peer in a thread: faces that stay on their rank, the first byte of which is
/// damaged or not.
struct home_faces : broken_exchange {
  explicit home_faces(const ring_faces& faces) : broken_exchange(faces.bytes.front(), {}) {}
  static bool fits(const ring_faces& faces) { return faces.count() == 1; }
};
struct damaged_faces : broken_exchange {
  explicit damaged_faces(const ring_faces& faces) : broken_exchange(faces.bytes.front(), {0}) {}
};

/// A served_folder has a thread that serves one caller in a folder, which is removed afterwards.
class served_folder {
 public:
  explicit served_folder(const std::function<void(const std::string&)>& serve)
      : thread_([this, serve] { serve(folder_); }) {
    while (!std::filesystem::exists(folder_ + "/0")) std::this_thread::yield();
  }
  ~served_folder() {
    thread_.join();
    std::filesystem::remove_all(folder_);
  }
  const std::string& folder() const { return folder_; }

 private:
  static std::string make_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "onehop-XXXXXX").string();
    BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
    return name;
  }
  std::string folder_ = make_folder();
  std::thread thread_;
};

/// A peer_thread has two halos.
struct peer_thread : served_folder {
  peer_thread()
      : served_folder([](const std::string& folder) {
          workshop shop;
          shop.add_halo<home_faces>("home");
          shop.add_halo<damaged_faces>("damaged");
          server(shop, 0, 1, [] {}).serve(folder);
        }) {}
};
/// A dying_peer_thread hangs up when it is to time a step.
struct dying_peer_thread : served_folder {
  dying_peer_thread()
      : served_folder([](const std::string& folder) {
          line_socket caller = line_socket::accept_one(folder + "/0", 60);
          for (std::string line; caller && caller.read(line, -1) && !line.starts_with("time");)
            caller.write(line.starts_with("methods") ? "home" : "ok");
        }) {}
};

}  // namespace

BOOST_AUTO_TEST_CASE(peers_are_timed_checked_and_left_out_where_they_do_not_fit) {
  const peer_thread there;
  run_on_threads(1, [&](context ctx) {
    peers others;
    others.all.push_back(std::make_unique<peer>("other", there.folder(), 0));
    contenders list = make_contenders(ctx, make_cell("halo", {96}), others);
    const outcome found = interleave(ctx, list, quick);
    BOOST_REQUIRE(found.all.size() == 3U);
    BOOST_TEST(found.all[1].name == "other home");
    BOOST_TEST(found.all[1].family == "other");
    BOOST_TEST(found.all[1].wrong == 0U);
    BOOST_TEST(found.all[2].wrong > 0U);
    for (const series& one : found.all) BOOST_TEST(one.us.size() >= 5U);
    BOOST_TEST(make_contenders(ctx, make_cell("halo", {96, 96}), others).size() == 2U);
    cell unknown = make_cell("halo", {96});
    unknown.methods = {"pigeon"};
    test::message_of<usage_error>([&] { make_contenders(ctx, unknown, others); });
  });
}

BOOST_AUTO_TEST_CASE(a_peer_that_ends_on_the_way_is_left_out_and_the_others_go_on) {
  const dying_peer_thread dying;
  const peer_thread there;
  run_on_threads(1, [&](context ctx) {
    peers others;
    others.all.push_back(std::make_unique<peer>("dying", dying.folder(), 0));
    others.all.push_back(std::make_unique<peer>("other", there.folder(), 0));
    contenders list = make_contenders(ctx, make_cell("halo", {96}), others);
    const outcome found = interleave(ctx, list, quick);
    BOOST_REQUIRE(found.all.size() == 4U);
    BOOST_TEST(found.all[1].name == "dying home");
    BOOST_TEST((found.all[1].dropped && found.all[1].us.empty()));
    BOOST_TEST(found.all[0].us.size() >= 5U);
    BOOST_TEST(found.all[2].us.size() >= 5U);
    BOOST_TEST(test::contains(others.all[0]->failure(), "has ended or hangs at 'time 0 "));
    BOOST_TEST(others.all[1]->failure().empty());
    // It is not asked again.
    list = make_contenders(ctx, make_cell("halo", {96}), others);
    BOOST_TEST(list.size() == 3U);
  });
}

BOOST_AUTO_TEST_CASE(peers_that_are_gone_are_an_error) {
  const std::string nowhere = std::filesystem::temp_directory_path() / "onehop-nobody";
  test::message_of<resource_error>([&] { const peer none("other", nowhere, 0); });
}
