#include <onehop/put_chain.hpp>
#include <onehop/trace.hpp>

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <onehop/error.hpp>
#include <sstream>
#include <string_view>
#include <thread>

using namespace onehop;

namespace {

constexpr int exchanges = 20;

/// Returns the recorders of two ranks that exchange, each with room for `capacity` events.
std::array<std::shared_ptr<trace>, 2> recorded(std::size_t capacity) {
  std::array<std::shared_ptr<trace>, 2> recorders;
  run_on_threads(2, [&](context ctx) {
    const int other = 1 - ctx.rank();
    put_chain chain(ctx, window::allocate(ctx, 64));
    const put_slot slot = chain.push(put::packed(64, other, 0));
    chain.add_origin(other);
    chain.commit();
    recorders[ctx.rank()] = std::make_shared<trace>(capacity);
    ctx.set_trace(recorders[ctx.rank()]);
    for (int k = 0; k < exchanges; ++k) {
      chain.target_view(slot)[0] = std::byte(k);
      chain.start();
      chain.wait();
    }
  });
  return recorders;
}

std::map<std::uint64_t, trace_event> by_exchange(const trace& recorder, std::string_view name) {
  std::map<std::uint64_t, trace_event> found;
  for (const trace_event& event : recorder.events()) {
    if (event.name == name) found[event.exchange] = event;
  }
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(arrivals_follow_the_starts_of_their_origins) {
  const auto recorders = recorded(1000);
  for (int rank = 0; rank < 2; ++rank) {
    const auto arrivals = by_exchange(*recorders[rank], "arrival");
    const auto starts = by_exchange(*recorders[1 - rank], "start");
    const auto puts = by_exchange(*recorders[1 - rank], "put");
    BOOST_REQUIRE(puts.size() == exchanges);
    BOOST_REQUIRE(arrivals.size() == exchanges);
    BOOST_REQUIRE(starts.size() == exchanges);
    for (const auto& [exchange, arrival] : arrivals) {
      BOOST_TEST(arrival.peer == 1 - rank);
      const trace_event& put = puts.at(exchange);
      BOOST_TEST(put.peer == rank);
      BOOST_TEST(put.chain == arrival.chain);
      BOOST_TEST(put.arrival == arrival.arrival);
      BOOST_TEST(put.begin_ns >= starts.at(exchange).begin_ns);
      BOOST_TEST(arrival.begin_ns >= put.begin_ns);
    }
    for (const trace_event& event : recorders[rank]->events()) {
      BOOST_TEST(event.end_ns >= event.begin_ns);
    }
  }
}

// The target lets its origin wait for room each time, or nearly so.
BOOST_AUTO_TEST_CASE(a_traced_start_waits_for_its_target) {
  std::atomic<int> entered = 0;
  run_on_threads(2, [&](context ctx) {
    std::vector<std::byte> source(64);
    put_chain chain(ctx, window::allocate(ctx, source.size(), 1));
    notification arrival;
    if (ctx.rank() == 0)
      chain.push({local_view::contiguous(source), 1, 0});
    else
      arrival = chain.add_origin(0);
    chain.commit();
    ctx.set_trace(std::make_shared<trace>());
    for (int k = 1; k <= 5; ++k) {
      if (ctx.rank() == 0) {
        std::ranges::fill(source, std::byte(k));
        entered = k;
      } else {
        while (entered < k) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      chain.start();
      chain.wait();
      if (ctx.rank() == 1 && chain.arrived(arrival)[63] != std::byte(k))
        throw std::runtime_error("an exchange was lost");
    }
  });
}

BOOST_AUTO_TEST_CASE(events_beyond_the_capacity_are_counted) {
  const auto recorders = recorded(7);
  for (const auto& recorder : recorders) {
    BOOST_TEST(recorder->events().size() == 7);
    BOOST_TEST(recorder->dropped() == 4 * exchanges - 7);
  }
}

namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(timeline_of_all_ranks_is_written_whole_or_not_at_all) {
  const auto folder = std::filesystem::temp_directory_path() / "onehop_trace_test";
  std::filesystem::create_directories(folder);
  const std::string file = folder / "timeline.json";
  run_on_threads(3, [&](context ctx) {
    put_chain chain(ctx, window::allocate(ctx, 64));
    chain.push(put::packed(64, (ctx.rank() + 1) % 3, 0));
    chain.add_origin((ctx.rank() + 2) % 3);
    chain.commit();
    ctx.set_trace(std::make_shared<trace>());
    { const trace_span own(ctx.trace(), "\"mine\"\n"); }
    chain.start();
    chain.wait();
    write_trace(ctx, file);
    try {
      write_trace(ctx, folder / "none" / "timeline.json");
      throw std::runtime_error("written to a folder that is not there");
    } catch (const file_error&) {
    }
  });
  std::ostringstream whole;
  whole << std::ifstream(file).rdbuf();
  const std::string text = whole.str();
  BOOST_TEST(count(text, "\"thread_name\"") == 3);
  BOOST_TEST(count(text, "\"ph\": \"s\"") == 3);
  BOOST_TEST(count(text, "\"ph\": \"f\"") == 3);
  BOOST_TEST(count(text, "\\\"mine\\\" \"") == 3);
  BOOST_TEST(count(text, "{") == count(text, "}"));
  BOOST_TEST(text.ends_with("\n]}\n"));
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
  std::filesystem::remove_all(folder);
}
