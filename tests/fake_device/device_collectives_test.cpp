// Collectives give in memory of devices what they give in memory of the host, bit for bit, in the
// order of the stream that was named. Which buffers lie on a device differs from rank to rank.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <onehop/alltoall.hpp>
#include <onehop/collective_stream.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/persistent_collective.hpp>

#include "fake_device/device_player.hpp"

using namespace onehop;
using test::device_memory;
using test::device_stream;
using test::dice;
using test::every_real_job;
using test::expect;
using test::setting;

namespace {

using bytes = std::vector<std::byte>;
using memory = std::span<std::byte>;

/// Returns doubles whose sum depends on the order of adding them.
bytes doubles(std::size_t count, int rank, int buffer, int turn) {
  bytes all(count * sizeof(double));
  const test::pattern_words words(rank, buffer, turn);
  for (std::size_t i = 0; i < count; ++i) {
    const double value =
        std::ldexp(static_cast<double>(words[i] >> 11), static_cast<int>(words[i] % 60) - 60);
    std::memcpy(&all[i * sizeof value], &value, sizeof value);
  }
  return all;
}

/// A buffer lies in memory of the host, or in a device's where a program writes it late.
class buffer {
 public:
  buffer(std::size_t size, bool on_device, const device_stream& stream)
      : host_(size), stream_(stream) {
    if (on_device) device_ = std::make_unique<device_memory>(size);
  }

  ~buffer() { fake_driver::finish(stream_.handle()); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  memory given() { return device_ ? device_->span().first(host_.size()) : memory(host_); }
  void write(const bytes& values) {
    if (!device_) {
      std::ranges::copy(values, host_.begin());
      return;
    }
    stream_.enqueue([to = device_->seen(), values] { std::ranges::copy(values, to); });
    // A collective that does not follow the stream would change these values before they are read.
    stream_.enqueue([this, values] {
      kept_ = std::ranges::equal(values, std::span(device_->seen(), values.size()));
    });
  }
  bytes read() {
    if (!device_) return host_;
    bytes found(host_.size());
    stream_.enqueue([&] { std::copy_n(device_->seen(), found.size(), found.begin()); });
    expect(fake_driver::finish(stream_.handle()), "the stream waits for ever");
    expect(kept_, "what the stream still had to read was overwritten");
    return found;
  }

 private:
  bytes host_;
  std::unique_ptr<device_memory> device_;
  const device_stream& stream_;
  bool kept_ = true;
};

/// A call reads `from` and writes `to`, both with a block for each rank.
struct call {
  const char* name;
  void (*run)(const context&, memory from, memory to, int root);
  bool for_root_alone = false;
};

std::size_t block_of(const context& ctx, memory all) {
  return all.size() / static_cast<std::size_t>(ctx.size());
}
memory block(const context& ctx, memory all, int rank) {
  return all.subspan(static_cast<std::size_t>(rank) * block_of(ctx, all), block_of(ctx, all));
}
void twice(persistent_collective one) {
  for (int again = 0; again < 2; ++again) {
    one.start();
    if (again == 0) one.wait();
  }
  while (!one.test()) {
  }
}
combiner sum() { return combiner_of<double>(reduction::sum); }

const std::vector<call> calls{
    {"broadcast", [](auto& ctx, auto, auto to, int root) { broadcast(ctx, to, root); }},
    {"allgather",
     [](auto& ctx, auto from, auto to, int) { allgather(ctx, block(ctx, from, 0), to); }},
    {"allgather in place",
     [](auto& ctx, auto, auto to, int) { allgather(ctx, block(ctx, to, ctx.rank()), to); }},
    {"started allgather", [](auto& ctx, auto from, auto to,
                             int) { started_allgather(ctx, block(ctx, from, 0)).finish(to); }},
    {"gather",
     [](auto& ctx, auto from, auto to, int root) { gather(ctx, block(ctx, from, 0), to, root); }},
    {"scatter",
     [](auto& ctx, auto from, auto to, int root) { scatter(ctx, from, block(ctx, to, 0), root); }},
    {"alltoall",
     [](auto& ctx, auto from, auto to, int) { alltoall(ctx, block_of(ctx, from)).run(from, to); }},
    {"alltoallv",
     [](auto& ctx, auto from, auto to, int) {
       std::vector<std::span<const std::byte>> send;
       const auto length = [&](int origin, int target) {
         return block_of(ctx, to) / static_cast<std::size_t>(1 + (origin + target) % 3);
       };
       for (int rank = 0; rank < ctx.size(); ++rank)
         send.push_back(block(ctx, from, rank).first(length(ctx.rank(), rank)));
       alltoallv(ctx, send, [&](int origin, std::size_t size) {
         expect(size == length(origin, ctx.rank()), "the size of a block");
         return block(ctx, to, origin).first(size);
       });
     }},
    {"allreduce", [](auto& ctx, auto, auto to, int) { allreduce(ctx, to, sum()); }},
    {"allreduce of fast order",
     [](auto& ctx, auto, auto to, int) {
       allreduce(ctx, to, combiner_of<double>(reduction::max), sum_order::fast);
     }},
    {"reduce", [](auto& ctx, auto, auto to, int root) { reduce(ctx, to, sum(), root); }, true},
    {"scan", [](auto& ctx, auto, auto to, int) { scan(ctx, to, sum()); }},
    {"exclusive scan", [](auto& ctx, auto, auto to, int) { exclusive_scan(ctx, to, sum()); }},
    {"reduce_scatter", [](auto& ctx, auto from, auto to,
                          int) { reduce_scatter(ctx, from, block(ctx, to, 0), sum()); }},
    {"persistent allreduce",
     [](auto& ctx, auto, auto to, int) { twice(persistent_allreduce(ctx, to, sum())); }},
    {"persistent reduce",
     [](auto& ctx, auto, auto to, int root) { twice(persistent_reduce(ctx, to, sum(), root)); },
     true},
    {"persistent scan",
     [](auto& ctx, auto, auto to, int) { twice(persistent_scan(ctx, to, sum())); }},
    {"persistent exclusive scan",
     [](auto& ctx, auto, auto to, int) { twice(persistent_exclusive_scan(ctx, to, sum())); }},
    {"persistent broadcast",
     [](auto& ctx, auto, auto to, int root) { twice(persistent_broadcast(ctx, to, root)); }},
    {"persistent allgather",
     [](auto& ctx, auto, auto to, int) { twice(persistent_allgather(ctx, to)); }},
    {"persistent gather",
     [](auto& ctx, auto from, auto to, int root) {
       twice(persistent_gather(ctx, block(ctx, from, 0), to, root));
     }},
    {"persistent scatter",
     [](auto& ctx, auto from, auto to, int root) {
       twice(persistent_scatter(ctx, from, block(ctx, to, 0), root));
     }},
    {"persistent alltoall",
     [](auto& ctx, auto from, auto to, int) { twice(persistent_alltoall(ctx, from, to)); }},
    {"persistent reduce_scatter",
     [](auto& ctx, auto from, auto to, int) {
       twice(persistent_reduce_scatter(ctx, from, block(ctx, to, 0), sum()));
     }},
};

/// The adversary's time jumps to the deadline where no message is under way, and a device that is
/// not at the end of its work is none.
const std::vector<test::job>& every_timed_job() {
  static const std::vector<test::job> jobs = [] {
    std::vector<test::job> timed = every_real_job();
    std::erase_if(timed, [](const test::job& where) { return where.how == test::job::adversary; });
    return timed;
  }();
  return jobs;
}

/// Which memory lies on devices.
enum class places { any, all };

/// Makes a call in memory of the host and once more where the dice put it.
void compare(const context& ctx, const call& one, std::size_t count, int turn, places where) {
  const device_stream stream;
  dice draw(static_cast<std::uint64_t>(turn * 10 + ctx.rank()));
  const int root = turn % ctx.size();
  const auto drawn = [&] { return where == places::all || draw.below(3) != 0; };
  bytes from = doubles(count * static_cast<std::size_t>(ctx.size()), ctx.rank(), 0, turn);
  bytes to = doubles(count * static_cast<std::size_t>(ctx.size()), ctx.rank(), 1, turn);
  buffer same_from(from.size(), drawn(), stream), same_to(to.size(), drawn(), stream);
  set_collective_stream(ctx, stream.handle());
  same_from.write(from);
  same_to.write(to);
  one.run(ctx, same_from.given(), same_to.given(), root);
  set_collective_stream(ctx, std::nullopt);
  const bytes found = same_to.read(), sent = same_from.read();
  one.run(ctx, from, to, root);
  const std::string name = std::string(one.name) + " of " + std::to_string(count);
  expect(sent == from, name + " changes what it reads");
  if (!one.for_root_alone || ctx.rank() == root) expect(found == to, name);
}

void nothing_is_left() { BOOST_TEST(test::left_behind() == 0); }

}  // namespace

BOOST_DATA_TEST_CASE(collectives_have_the_bits_of_the_host, every_timed_job(), where) {
  where.run([](context ctx) {
    int turn = 0;
    for (const call& one : calls)
      for (const std::size_t count : {1, 37, 9000}) {
        ++turn;
        compare(ctx, one, count, turn, turn % 2 == 0 ? places::any : places::all);
      }
  });
  // The job of an MPI launcher ends with its processes, and keeps pinned memory until then.
  if (where.how != test::job::launched) nothing_is_left();
}

/// Makes the calls that are done by persistent collectives where all memory lies on devices.
void compare_on_devices(const context& ctx) {
  int turn = 0;
  for (const call& one : calls)
    if (std::string_view(one.name).starts_with("persistent"))
      compare(ctx, one, 9000, ++turn, places::all);
}

std::string described(const context& ctx, memory values, reduction kind = reduction::sum) {
  return persistent_allreduce(ctx, values, combiner_of<double>(kind)).describe();
}

BOOST_AUTO_TEST_CASE(devices_do_long_persistent_collectives_alone) {
  // More ranks than one launch of a kernel combines are among them.
  for (const int ranks : {2, 3, 10}) {
    const setting module("ONEHOP_MODULE_PATH", FAKE_MODULE_FOLDER);
    test::job{test::job::processes, ranks}.run([](context ctx) {
      const int before = fake_driver::counted().pinned;
      compare_on_devices(ctx);
      expect(fake_driver::counted().pinned == before, "nothing went through the host");
    });
  }
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(persistent_collectives_say_where_they_are_done_and_why) {
  constexpr std::size_t count = 10'000;
  const auto expect_said = [&](test::job where, const std::string& words, std::size_t values,
                               bool rank_0_on_host = false) {
    where.run([&](context ctx) {
      const device_stream stream;
      set_collective_stream(ctx, stream.handle());
      buffer one(values * sizeof(double), !rank_0_on_host || ctx.rank() > 0, stream);
      const std::string said = described(ctx, one.given());
      if (!rank_0_on_host || ctx.rank() > 0) expect(test::contains(said, words), said);
    });
  };
  const test::job processes{test::job::processes, 2}, threads{test::job::threads, 2};
  expect_said(processes, "copies in pinned memory of the host: no kernel, ", count);
  const setting module("ONEHOP_MODULE_PATH", FAKE_MODULE_FOLDER);
  expect_said(processes, "from device to device, in the order of streams", count);
  expect_said(processes, "it has fewer than 65536 bytes", 1000);
  expect_said(processes, "another rank has reasons against it", count, true);
  expect_said(threads, "streams of some ranks cannot wait for each other", count);
  {
    const setting staged("ONEHOP_DEVICE_CHANNEL", "staged");
    expect_said(processes, "ONEHOP_DEVICE_CHANNEL is staged", count);
  }
  {
    const setting lost("FAKE_DRIVER_NO_IPC", "1");
    expect_said(processes, "streams of some ranks cannot wait for each other", count);
  }
  processes.run([](context ctx) {
    const device_stream stream;
    set_collective_stream(ctx, stream.handle());
    const device_memory values(count * sizeof(std::int16_t) * 4);
    const persistent_collective sum =
        persistent_allreduce(ctx, values.span(), combiner_of<std::int16_t>(reduction::sum));
    expect(test::contains(sum.describe(), "kernels do not combine values of this type"),
           sum.describe());
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(kernels_combine_every_type_as_the_host_does) {
  const setting module("ONEHOP_MODULE_PATH", FAKE_MODULE_FOLDER);
  test::job{test::job::processes, 3}.run([](context ctx) {
    const device_stream stream;
    const auto check = [&]<class T>(T) {
      for (const reduction kind : {reduction::sum, reduction::min, reduction::max,
                                   reduction::bit_and, reduction::bit_or, reduction::bit_xor}) {
        const combiner how = combiner_of<T>(kind);
        if (how.apply == nullptr) continue;
        std::vector<T> numbers(80'000 / sizeof(T));
        const test::pattern_words words(ctx.rank(), 0, static_cast<int>(kind));
        for (std::size_t i = 0; i < numbers.size(); ++i)
          numbers[i] = std::is_integral_v<T>
                           ? static_cast<T>(words[i])
                           : static_cast<T>(std::ldexp(static_cast<double>(words[i] >> 11),
                                                       static_cast<int>(words[i] % 60) - 60));
        // A number that is none goes on as such.
        if (std::is_floating_point_v<T> && ctx.rank() == 1)
          numbers[5] = std::numeric_limits<T>::quiet_NaN();
        const auto raw = std::as_writable_bytes(std::span(numbers));
        bytes values(raw.begin(), raw.end());
        buffer same(values.size(), true, stream);
        set_collective_stream(ctx, stream.handle());
        persistent_collective one = persistent_allreduce(ctx, same.given(), how);
        expect(test::contains(one.describe(), "from device to device"), one.describe());
        same.write(values);
        one.start();
        one.wait();
        set_collective_stream(ctx, std::nullopt);
        allreduce(ctx, values, how);
        expect(same.read() == values, "values of " + std::to_string(sizeof(T)) + " bytes");
      }
    };
    check(std::int32_t());
    check(std::uint32_t());
    check(std::int64_t());
    check(std::uint64_t());
    check(float());
    check(double());
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(a_rank_that_never_starts_is_told_and_streams_go_on) {
  const setting module("ONEHOP_MODULE_PATH", FAKE_MODULE_FOLDER);
  test::job{test::job::processes, 2}.run([](context ctx) {
    const device_stream stream;
    set_collective_stream(ctx, stream.handle());
    const device_memory values(80'000);
    persistent_collective one =
        persistent_allreduce(ctx, values.span(), combiner_of<double>(reduction::sum));
    if (ctx.rank() == 1) return test::doze(ctx, std::chrono::seconds(2));
    ctx.set_deadline(std::chrono::milliseconds(200));
    one.start();
    const std::string late = test::message_of<timeout_error>([&] { one.wait(); });
    expect(test::contains(late, "for the stream of its device in exchange 1"), late);
  });
}

BOOST_DATA_TEST_CASE(sparse_exchanges_send_from_devices, every_timed_job(), where) {
  where.run([](context ctx) {
    const device_stream stream;
    set_collective_stream(ctx, stream.handle());
    const bytes values = doubles(100, ctx.rank(), 0, 1);
    buffer sent(values.size(), ctx.rank() % 2 == 0, stream);
    sent.write(values);
    const int next = (ctx.rank() + 1) % ctx.size();
    const int before = (ctx.rank() + ctx.size() - 1) % ctx.size();
    const std::span<const std::byte> block = sent.given();
    int came = 0;
    sparse_exchange(
        ctx, {&next, 1}, {&block, 1}, [&](int origin, std::span<const std::byte> found) {
          ++came;
          expect(origin == before && std::ranges::equal(found, doubles(100, before, 0, 1)),
                 "a block from a device");
        });
    expect(came == 1, "one block comes");
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(pinned_memory_is_kept_from_call_to_call) {
  run_on_threads(1, [](const context& ctx) {
    const device_stream stream;
    set_collective_stream(ctx, stream.handle());
    const device_memory large(100'000), small(8);
    const combiner bits = combiner_of<std::uint64_t>(reduction::sum);
    for (const device_memory* one : {&large, &small, &large}) allreduce(ctx, one->span(), bits);
    expect(fake_driver::counted().pinned == 1, "one piece of pinned memory serves all");
    set_collective_stream(ctx, std::nullopt);
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(what_collectives_cannot_take_is_said) {
  run_on_threads(1, [](const context& ctx) {
    const device_memory first(64), other(64, 1);
    const device_stream stream;
    const combiner bits = combiner_of<std::uint64_t>(reduction::sum);
    const std::string no_stream =
        test::message_of<usage_error>([&] { persistent_allreduce(ctx, first.span(), bits); });
    expect(test::contains(no_stream,
                          "name the stream that uses this memory with "
                          "set_collective_stream"),
           no_stream);
    set_collective_stream(ctx, stream.handle());
    expect(collective_stream(ctx) == stream.handle(), "the stream that was named");
    persistent_collective one = persistent_allreduce(ctx, first.span(), bits);
    set_collective_stream(ctx, std::nullopt);
    const std::string no_more = test::message_of<usage_error>([&] { one.start(); });
    expect(test::contains(no_more, "a collective on memory of a device without a stream"), no_more);
    set_collective_stream(ctx, stream.handle());
    one.start();
    one.wait();
    const std::string two =
        test::message_of<usage_error>([&] { allgather(ctx, first.span(), other.span()); });
    expect(test::contains(two, "a collective on memory of two devices"), two);
    void* const managed = fake_driver::allocate_managed(64);
    const std::string moved = test::message_of<usage_error>([&] {
      broadcast(ctx, {static_cast<std::byte*>(managed), 64});
    });
    expect(test::contains(moved, "a collective on managed memory"), moved);
    fake_driver::release(managed);
    set_collective_stream(ctx, std::nullopt);
  });
  const test::job machine{test::job::virtual_put, 2};
  machine.run([](context ctx) {
    const device_memory memory(64);
    set_collective_stream(ctx, nullptr);
    const std::string refused =
        test::message_of<usage_error>([&] { broadcast(ctx, memory.span()); });
    expect(test::contains(refused, "whose time is computed: give memory of the host"), refused);
  });
  nothing_is_left();
}
