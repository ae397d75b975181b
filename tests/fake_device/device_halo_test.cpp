// Halo exchanges send fields in a device's memory from there, and their ghosts arrive in it, in the
// order of the caller's stream. The driver is a fake one, its memory is not.

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/halo_exchange.hpp>

#include "fake_device/device_player.hpp"

using namespace onehop;
using test::device_memory;
using test::device_stream;
using test::every_real_job;
using test::expect;
using test::setting;

namespace {

struct site {
  std::array<int, 3> numbers{};
  bool operator==(const site&) const = default;
};

/// Returns what belongs to a site by its coordinates in the whole lattice, after `exchange`
/// exchanges.
site value_of(const cartesian& ranks, const coordinate& local, int exchange) {
  int value = 0;
  for (std::size_t mu = 4; mu-- > 0;) {
    const int extent = ranks.extents()[mu];
    value = value * extent + (ranks.origin()[mu] + local[mu] + extent) % extent;
  }
  return {value, exchange, value * exchange};
}

template <class Visit>
void for_all(const coordinate& first, const coordinate& end, const Visit& visit) {
  coordinate x{};
  for (x[3] = first[3]; x[3] < end[3]; ++x[3])
    for (x[2] = first[2]; x[2] < end[2]; ++x[2])
      for (x[1] = first[1]; x[1] < end[1]; ++x[1])
        for (x[0] = first[0]; x[0] < end[0]; ++x[0]) visit(x);
}

/// Returns the ghosts at these steps from the block: first coordinates and those after the last.
std::pair<coordinate, coordinate> ghosts_at(const halo_layout& layout, const coordinate& steps) {
  coordinate first{}, end = layout.ranks().local();
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const auto axis = static_cast<int>(mu);
    if (steps[mu] < 0) {
      first[mu] = -layout.width(axis, 0);
      end[mu] = 0;
    } else if (steps[mu] > 0) {
      first[mu] = end[mu];
      end[mu] += layout.width(axis, 1);
    }
  }
  return {first, end};
}

/// A device_halo is a field in a device's memory with its ghosts, and the program on the device
/// that writes the one and reads the other as late as its stream may.
class device_halo {
 public:
  device_halo(const cartesian& ranks, const ghost_widths& widths, const halo_options& how)
      : layout_(ranks, widths),
        block_(layout_.volume() * sizeof(site)),
        field_(layout_, {reinterpret_cast<site*>(block_.span().data()), layout_.volume()}),
        ghosts_(halo_exchange::ghost_bytes({&field_}, how.corners)),
        corners_(how.corners),
        halo_(field_, {how.corners, ghosts_.span(), stream_.handle(), how.wait_on_stream}) {}

  void start(int exchange) {
    stream_.enqueue([this, exchange] {
      auto* const sites = reinterpret_cast<site*>(block_.seen());
      for_all({}, layout_.ranks().local(), [&](const coordinate& x) {
        sites[layout_.index(x)] = value_of(layout_.ranks(), x, exchange);
      });
    });
    halo_.start();
  }
  void finish(int exchange) {
    halo_.wait();
    // The block may change now: what arrives is what it was at the start.
    stream_.enqueue([this] { std::memset(block_.seen(), 0x5a, block_.span().size()); });
    for_all({-1, -1, -1, -1}, {2, 2, 2, 2}, [&](const coordinate& steps) {
      const auto past = 4 - std::ranges::count(steps, 0);
      if (past == 1 || (corners_ && past > 1)) read(steps, exchange);
    });
  }
  int wrong() {
    halo_.synchronise();
    expect(fake_driver::finish(stream_.handle()), "the stream waits for ever");
    return wrong_;
  }
  std::string describe() const { return halo_.describe(); }

 private:
  void read(const coordinate& steps, int exchange) {
    const std::span<const std::byte> ghosts = halo_.ghost_at(steps);
    const cartesian& ranks = layout_.ranks();
    bool wide = ranks.neighbour(steps) >= 0;
    for (int mu = 0; mu < 4; ++mu) {
      const int step = steps[static_cast<std::size_t>(mu)];
      if (step != 0 && layout_.width(mu, step < 0 ? 0 : 1) == 0) wide = false;
    }
    expect(wide != ghosts.empty(), "ghosts are where there is a neighbour and they have a width");
    if (!wide) return;
    const auto offset = ghosts.data() - ghosts_.span().data();
    stream_.enqueue([this, steps, exchange, offset] {
      const auto* next = reinterpret_cast<const site*>(ghosts_.seen() + offset);
      const auto [first, end] = ghosts_at(layout_, steps);
      for_all(first, end, [&](const coordinate& x) {
        if (!(*next++ == value_of(layout_.ranks(), x, exchange))) ++wrong_;
      });
    });
  }

  halo_layout layout_;
  device_memory block_;
  halo_field<site> field_;
  device_memory ghosts_;
  bool corners_;
  std::atomic<int> wrong_ = 0;
  device_stream stream_;
  halo_exchange halo_;
};

void play(const context& ctx, bool wait_on_stream) {
  const cartesian open(ctx, {5, 4, 9}, {.periodic = {true, false, true}});
  const ghost_widths uneven{.sides = {{1, 2}, {0, 1}, {2, 1}}, .padded = false};
  for (const bool corners : {false, true}) {
    device_halo halo(open, uneven, {.corners = corners, .wait_on_stream = wait_on_stream});
    for (int exchange = 1; exchange <= 3; ++exchange) {
      halo.start(exchange);
      halo.finish(exchange);
    }
    const int wrong = halo.wrong();
    expect(wrong == 0, std::to_string(wrong) + " ghosts are wrong on the device");
  }
  // A rank of the adversary that waits for its device alone must not find that others have left.
  barrier(ctx);
}

}  // namespace

BOOST_DATA_TEST_CASE(ghosts_in_a_device_hold_the_sites_that_they_stand_for, every_real_job(),
                     where) {
  for (const char* channel : {"auto", "staged"}) {
    const setting way("ONEHOP_DEVICE_CHANNEL", channel);
    // Streams that wait need time to pass by itself; one rank of the adversary has no other rank to
    // yield to.
    const bool timed = where.how != test::job::adversary || where.ranks > 1;
    where.run([timed](context ctx) {
      play(ctx, false);
      if (timed) play(ctx, true);
    });
  }
  BOOST_TEST(test::left_behind() == 0);
}

BOOST_AUTO_TEST_CASE(a_padded_field_in_a_device_is_refused) {
  const context ctx = join("self");
  const halo_layout layout(cartesian(ctx, {4, 4}), {.width = 1});
  const device_memory memory(layout.volume() * sizeof(int));
  halo_field<int> field(layout, {reinterpret_cast<int*>(memory.span().data()), layout.volume()});
  const std::string told = test::message_of<usage_error>([&] { halo_exchange{field}; });
  BOOST_TEST(test::contains(told, "ghost_widths::padded"), told);
}
