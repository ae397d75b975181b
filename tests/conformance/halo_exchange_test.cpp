#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <numeric>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/halo_exchange.hpp>
#include <optional>

#include "support/exchange.hpp"

using namespace onehop;
using test::contains;
using test::expect;
using test::message_of;

namespace {

constexpr int untouched = -7;

/// A site of three bytes is not aligned to anything.
struct small_site {
  std::array<std::uint8_t, 3> bytes{};
};
/// A site of this size is longer than a cache line.
struct big_site {
  std::array<double, 24> numbers{};
};

void set(int& site, int value) { site = value; }
void set(small_site& site, int value) {
  for (std::size_t i = 0; i < 3; ++i) site.bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
}
void set(big_site& site, int value) { std::iota(site.numbers.begin(), site.numbers.end(), value); }
bool holds(int site, int value) { return site == value; }
bool holds(const small_site& site, int value) {
  small_site wanted;
  set(wanted, value);
  return site.bytes == wanted.bytes;
}
bool holds(const big_site& site, int value) {
  big_site wanted;
  set(wanted, value);
  return site.numbers == wanted.numbers;
}

/// Returns what belongs to a site of the whole lattice, which may be past a periodic end, after
/// `round` rounds.
int value_of(const cartesian& ranks, const coordinate& local, int round) {
  int value = 0;
  for (std::size_t mu = 4; mu-- > 0;) {
    const int extent = ranks.extents()[mu];
    value = value * extent + (ranks.origin()[mu] + local[mu] + extent) % extent;
  }
  return 1000 * round + value;
}

/// A standing says where a site lies by its coordinates: in the block, or past it in how many
/// dimensions.
struct standing {
  int past = 0;
  bool within_lattice = true;
};

standing stand(const halo_layout& layout, const coordinate& site) {
  standing result;
  for (int mu = 0; mu < 4; ++mu) {
    const auto axis = static_cast<std::size_t>(mu);
    const int x = site[axis], extent = layout.ranks().local()[axis];
    if (x >= 0 && x < extent) continue;
    ++result.past;
    if (layout.ranks().neighbour(mu, x < 0 ? -1 : 1) < 0) result.within_lattice = false;
  }
  return result;
}

template <class Visit>
void for_all(const halo_layout& layout, bool ghosts, const Visit& visit) {
  coordinate first{}, end = layout.ranks().local();
  for (int mu = 0; mu < 4 && ghosts; ++mu) {
    first[static_cast<std::size_t>(mu)] -= layout.width(mu, 0);
    end[static_cast<std::size_t>(mu)] += layout.width(mu, 1);
  }
  coordinate x{};
  for (x[3] = first[3]; x[3] < end[3]; ++x[3])
    for (x[2] = first[2]; x[2] < end[2]; ++x[2])
      for (x[1] = first[1]; x[1] < end[1]; ++x[1])
        for (x[0] = first[0]; x[0] < end[0]; ++x[0]) visit(x);
}

template <class Site>
void fill(halo_field<Site>& field, int round) {
  for (Site& site : field.data()) set(site, untouched);
  for_all(field.layout(), false,
          [&](const coordinate& x) { set(field[x], value_of(field.ranks(), x, round)); });
}

/// Expects that the block and those ghosts hold what they should, and that other ghosts are as they
/// were.
template <class Site>
void expect_ghosts(const halo_field<Site>& field, int round, bool corners) {
  for_all(field.layout(), true, [&](const coordinate& x) {
    const standing s = stand(field.layout(), x);
    const bool filled = s.within_lattice && (s.past <= 1 || corners);
    const int wanted = filled ? value_of(field.ranks(), x, round) : untouched;
    expect(holds(field[x], wanted), "site " + to_string(x) + " of rank " +
                                        std::to_string(field.ranks().context().rank()) + " after " +
                                        std::to_string(round) + " rounds");
  });
}

struct lattice_case {
  std::vector<int> extents;
  std::vector<bool> periodic;
  ghost_widths ghosts;
  std::vector<int> grid = {};
};

/// Returns lattices that jobs of up to four ranks divide, not all evenly.
std::vector<lattice_case> lattices(int ranks) {
  std::vector<lattice_case> result{
      {{17}, {}, {.width = 1}},
      {{9}, {false}, {.width = 2}},
      {{8, 9}, {}, {.width = 2}},
      {{7, 12}, {true, false}, {.sides = {{1, 0}, {0, 2}}}},
      {{6, 4, 11}, {}, {.width = 1}},
      {{5, 6, 8}, {false, true, true}, {.sides = {{0, 1}, {1, 1}, {2, 0}}}},
      {{4, 4, 4, 8}, {}, {.width = 1}},
      {{3, 4, 2, 5}, {true, false, true, true}, {.width = 1}, {1, 1, 1, ranks}},
      {{1, 1, 3, 2 * ranks}, {}, {.width = 1}, {1, 1, 1, ranks}},
  };
  if (ranks == 4) {
    result.push_back({{5, 4, 6}, {}, {.width = 2}, {2, 2, 1}});
    result.push_back({{2, 3, 2, 1}, {}, {.width = 1}, {2, 1, 2, 1}});
  }
  return result;
}

cartesian divide(const context& ctx, const lattice_case& lattice) {
  return {ctx, lattice.extents, {lattice.grid, lattice.periodic}};
}

template <class Site>
void check_every_ghost(const context& ctx, const lattice_case& lattice, bool corners) {
  const cartesian ranks = divide(ctx, lattice);
  halo_field<Site> field(ranks, lattice.ghosts);
  halo_exchange halo(field, {.corners = corners});
  for (int round = 0; round < 4; ++round) {
    fill(field, round);
    halo.start();
    halo.wait();
    expect_ghosts(field, round, corners);
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(every_ghost_holds_the_site_that_it_stands_for, test::every_job(), where) {
  where.run([](context ctx) {
    for (const lattice_case& lattice : lattices(ctx.size())) {
      for (const bool corners : {false, true}) check_every_ghost<int>(ctx, lattice, corners);
    }
    check_every_ghost<small_site>(ctx, lattices(ctx.size())[4], true);
    check_every_ghost<big_site>(ctx, lattices(ctx.size())[5], true);
  });
}

namespace {

/// Sets the sites of a field as faces are made ready, in another order on every rank, so that what
/// leaves early would be seen.
template <class Site>
void check_faces_one_by_one(const context& ctx, const lattice_case& lattice, bool corners) {
  const cartesian ranks = divide(ctx, lattice);
  halo_field<Site> field(ranks, lattice.ghosts);
  halo_exchange halo(field, {.corners = corners});
  test::dice draw(static_cast<std::uint64_t>(ctx.rank()));
  for (int round = 0; round < 4; ++round) {
    for (Site& site : field.data()) set(site, untouched);
    std::vector<face> order;
    for (int mu = 0; mu < ranks.dimensions(); ++mu)
      for (const int side : {0, 1}) order.push_back({mu, side});
    for (std::size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[draw.below(left)]);
    halo.start_partial();
    for (const face which : order) {
      const auto axis = static_cast<std::size_t>(which.dimension);
      const int width = field.layout().width(which.dimension, 1 - which.side);
      for_all(field.layout(), false, [&](const coordinate& x) {
        const int depth = which.side == 0 ? x[axis] : ranks.local()[axis] - 1 - x[axis];
        if (depth < std::max(width, 1)) set(field[x], value_of(ranks, x, round));
      });
      halo.ready(which);
    }
    for_all(field.layout(), false,
            [&](const coordinate& x) { set(field[x], value_of(ranks, x, round)); });
    halo.wait();
    expect_ghosts(field, round, corners);
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(faces_leave_one_by_one_as_they_are_made_ready, test::every_job(), where) {
  where.run([](context ctx) {
    for (const lattice_case& lattice : lattices(ctx.size()))
      check_faces_one_by_one<int>(ctx, lattice, lattice.extents.size() % 2 == 0);
    check_faces_one_by_one<big_site>(ctx, lattices(ctx.size())[5], true);
  });
}

BOOST_DATA_TEST_CASE(fields_that_travel_together_do_not_mix, test::every_job(), where) {
  where.run([](context ctx) {
    const cartesian ranks(ctx, {6, 4, 11});
    halo_field<small_site> one(ranks, {.width = 1});
    halo_field<big_site> two(ranks, {.sides = {{2, 0}, {0, 0}, {1, 2}}});
    halo_field<int> three(ranks, {.width = 1});
    halo_exchange halo({&one, &two, &three});
    for (int round = 0; round < 3; ++round) {
      fill(one, round);
      fill(two, round + 10);
      fill(three, round + 20);
      halo.exchange();
      expect_ghosts(one, round, false);
      expect_ghosts(two, round + 10, false);
      expect_ghosts(three, round + 20, false);
    }
  });
}

BOOST_DATA_TEST_CASE(several_fields_take_one_put_for_each_neighbour, test::every_job(), where) {
  where.run([](context ctx) {
    const cartesian ranks(ctx, {6, 4, 11});
    halo_field<double> one(ranks, {.width = 1}), two(ranks, {.width = 1});
    const auto puts = [](const halo_exchange& halo) {
      const std::string lines = halo.describe();
      return std::count(lines.begin(), lines.end(), '\n');
    };
    expect(puts(halo_exchange({&one, &two})) == puts(halo_exchange(one)), "as many puts");
  });
}

BOOST_DATA_TEST_CASE(a_swapped_field_and_another_travel_in_its_place, test::every_job(), where) {
  where.run([](context ctx) {
    const cartesian ranks(ctx, {5, 9});
    halo_field<int> now(ranks, {.width = 1}), next(ranks, {.width = 1});
    halo_exchange halo(now);
    for (int round = 0; round < 4; ++round) {
      fill(next, round);
      std::swap(now, next);
      halo.exchange();
      expect_ghosts(now, round, false);
    }
    for (int round = 4; round < 8; ++round) {
      halo_field<int>& field = round % 2 == 0 ? next : now;
      fill(field, round);
      halo.start(field);
      halo.wait();
      expect_ghosts(field, round, false);
    }
  });
}

BOOST_DATA_TEST_CASE(a_field_that_has_travelled_may_be_gone_when_another_does, test::every_job(),
                     where) {
  where.run([](context ctx) {
    const halo_layout layout(cartesian(ctx, {5, 9}), {.width = 1});
    std::optional<halo_field<int>> passing(layout);
    halo_exchange halo(*passing);
    for (int round = 0; round < 3; ++round) {
      // Where the one before was there is now a field that does not fit.
      passing.emplace(layout.ranks(), ghost_widths{.width = 0});
      halo_field<int> next(layout);
      fill(next, round);
      halo.exchange(next);
      expect_ghosts(next, round, false);
    }
  });
}

BOOST_DATA_TEST_CASE(a_face_that_was_waited_for_is_there, test::every_job(), where) {
  where.run([](context ctx) {
    const cartesian ranks(ctx, {4, 12});
    halo_field<int> field(ranks, {.width = 1});
    halo_exchange halo(field);
    for (int round = 0; round < 8; ++round) {
      fill(field, round);
      if ((round + ctx.rank()) % 3 == 0) test::doze(ctx, std::chrono::microseconds(200));
      halo.start();
      for (const face which : {face{1, 1}, face{0, 0}, face{1, 0}, face{0, 1}}) {
        if (round % 2 == 0) {
          halo.wait(which);
        } else {
          test::look_until(ctx, [&] { return halo.test(which); });
        }
        for_all(field.layout(), true, [&](const coordinate& x) {
          const auto axis = static_cast<std::size_t>(which.dimension);
          if (stand(field.layout(), x).past != 1) return;
          if (which.side == 0 ? x[axis] < 0 : x[axis] >= ranks.local()[axis])
            expect(field[x] == value_of(ranks, x, round), "ghost " + to_string(x));
        });
      }
      if (round % 2 == 0) {
        halo.wait();
      } else {
        test::look_until(ctx, [&] { return halo.test(); });
      }
      expect_ghosts(field, round, false);
    }
  });
}

namespace {

/// Checks ghosts of fields that are not padded, in the memory of the exchange or of the caller.
void check_in_place(const context& ctx, const lattice_case& lattice, bool own_memory) {
  const cartesian ranks = divide(ctx, lattice);
  ghost_widths ghosts = lattice.ghosts;
  const halo_layout around(ranks, ghosts);
  ghosts.padded = false;
  halo_field<int> one(ranks, ghosts);
  halo_field<small_site> two(ranks, ghosts);
  std::vector<std::byte> memory(halo_exchange::ghost_bytes({&one, &two}, true));
  halo_options how{.corners = true};
  if (own_memory) how.ghosts = memory;
  halo_exchange halo({&one, &two}, how);
  for (int round = 0; round < 3; ++round) {
    fill(one, round);
    fill(two, round + 10);
    halo.exchange();
    // The ghosts of each direction from the block lie x fastest, as for_all visits them.
    std::map<coordinate, std::size_t> next;
    for_all(around, true, [&](const coordinate& x) {
      const standing s = stand(around, x);
      if (s.past == 0) return;
      coordinate steps{};
      for (std::size_t mu = 0; mu < 4; ++mu)
        steps[mu] = x[mu] < 0 ? -1 : x[mu] >= ranks.local()[mu] ? 1 : 0;
      const std::span<const std::byte> first = halo.ghost_at(steps),
                                       second = halo.ghost_at(steps, 1);
      if (!s.within_lattice) return expect(first.empty() && second.empty(), "past an end");
      const std::size_t at = next[steps]++;
      int a;
      small_site b;
      std::memcpy(&a, &first[at * sizeof a], sizeof a);
      std::memcpy(&b, &second[at * sizeof b], sizeof b);
      expect(holds(a, value_of(ranks, x, round)) && holds(b, value_of(ranks, x, round + 10)),
             "ghost " + to_string(x));
    });
    const std::span<const int> below = halo.ghost_sites<int>({0, 0});
    expect(below.size() == next[{-1, 0, 0, 0}], "as many ghosts below in x");
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(ghosts_of_fields_that_are_not_padded_are_read_where_they_arrive,
                     test::every_job(), where) {
  where.run([](context ctx) {
    for (const lattice_case& lattice : lattices(ctx.size()))
      for (const bool own_memory : {false, true}) check_in_place(ctx, lattice, own_memory);
  });
}

BOOST_DATA_TEST_CASE(a_halo_exchange_called_out_of_order_is_refused, test::every_job(), where) {
  where.run([](context ctx) {
    const cartesian ranks(ctx, {8, 8});
    halo_field<int> field(ranks, {.width = 1}), wider(ranks, {.width = 2});
    halo_exchange halo(field);
    const auto refused = [](const std::function<void()>& call, const std::string& part) {
      const std::string message = message_of<usage_error>(call);
      expect(contains(message, part), message);
    };
    refused([&] { halo.wait(); }, "call start first");
    refused([&] { halo.wait({0, 0}); }, "call start first");
    refused([&] { halo.test(); }, "call start first");
    refused([&] { halo.start(wider); }, "layout must be the same");
    refused([&] { halo.ghost({0, 0}); }, "padded");
    halo.start();
    refused([&] { halo.start(); }, "call wait first");
    refused([&] { halo.start(field); }, "call wait first");
    refused([&] { halo.wait({2, 0}); }, "dimensions 0 to 1");
    refused([&] { halo.wait({0, 2}); }, "sides are 0 and 1");
    refused([&] { halo.ready({0, 0}); }, "has been sent already");
    halo.wait();
    refused([&] { halo.wait(); }, "call start first");
    refused([&] { halo.ready({0, 0}); }, "call start first");
    halo.start_partial();
    for (const face which : {face{0, 0}, face{0, 1}, face{1, 0}}) halo.ready(which);
    refused([&] { halo.ready({0, 0}); }, "has been sent already");
    refused([&] { halo.wait(); }, "side 1 in dimension 1 has not been made ready");
    expect(!halo.test(), "no end while a face is held back");
    halo.ready({1, 1});
    halo.wait();

    halo_field<int> dense(ranks, {.width = 1, .padded = false}), other(ranks, {.padded = false});
    halo_exchange in_place(dense);
    refused([&] { in_place.start(other); }, "padded");
    in_place.start();
    refused([&] { in_place.ghost({0, 0}); }, "wait");
    in_place.wait();
    refused([&] { in_place.ghost({0, 0}, 1); }, "an exchange of 1");
    std::swap(dense, other);
    refused([&] { in_place.start(); }, "moved or swapped");
    std::swap(dense, other);
    in_place.exchange();
  });
}

BOOST_DATA_TEST_CASE(fields_and_ghosts_that_do_not_fit_are_refused, test::every_job(), where) {
  where.run([](context ctx) {
    const auto refused = [](const std::function<void()>& call, const std::string& part) {
      const std::string message = message_of<usage_error>(call);
      expect(contains(message, part), message);
    };
    const int n = ctx.size();
    const cartesian ranks(ctx, {2 * n + 1, 6}, {.grid = {n, 1}});
    refused([&] { halo_field<int>(ranks, {.width = 4}); }, "thinnest block");
    refused([&] { halo_field<int>(ranks, {.width = -1}); }, "width -1");
    refused([&] { halo_field<int>(ranks, {.sides = {{1, 1}}}); }, "2; give a width");
    const halo_layout layout(ranks, {.width = 1});
    std::vector<int> memory(layout.volume() - 1);
    refused([&] { halo_field<int>(layout, std::span(memory)); }, "memory of");
    halo_field<int> field(layout), dense(ranks, {.width = 1, .padded = false});
    refused([&] { halo_exchange({&field, &dense}); }, "padded");
    refused([&] { halo_exchange(std::vector<halo_memory*>()); }, "no field");
    const cartesian apart(ctx, {2 * n + 1, 6}, {.grid = {n, 1}, .periodic = {true, false}});
    halo_field<int> elsewhere(apart, {.width = 1});
    refused([&] { halo_exchange({&field, &elsewhere}); }, "lie on one cartesian");
    std::vector<std::byte> small(3);
    refused([&] { halo_exchange(dense, {.ghosts = small}); }, "see halo_exchange::ghost_bytes");
    refused([&] { halo_exchange(field, {.ghosts = small}); }, "leave");
    refused([&] { cartesian(ctx, {}); }, "1 to 4");
    refused([&] { cartesian(ctx, {4, 0}); }, "at least 1");
    refused([&] { cartesian(ctx, {8, 8}, {.grid = {n}}); }, "one entry for each");
    refused([&] { cartesian(ctx, {8, 8}, {.grid = {n, 9}}); }, "give it 1 to 8");
    refused([&] { cartesian(ctx, {8, 8}, {.grid = {n, 2}}); }, "but the job has");
    refused([&] { cartesian(ctx, {8}, {.periodic = {true, true}}); }, "one entry for each");
  });
}

BOOST_DATA_TEST_CASE(every_site_has_one_rank, test::every_job(), where) {
  where.run([](context ctx) {
    const cartesian ranks(ctx, {5, 7, 3}, {.periodic = {true, false, true}});
    int sites = 1, before = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      sites *= ranks.local()[mu];
      before += ranks.origin()[mu];
      const int here = ranks.extents()[mu] / ranks.grid()[mu];
      expect(ranks.local()[mu] == here || ranks.local()[mu] == here + 1, "even shares");
    }
    expect(ranks.rank_at(ranks.position()) == ctx.rank(), "a position is one rank's");
    expect(before > 0 || ctx.rank() == 0, "only rank 0 has the first site");
    std::array<double, 1> all{static_cast<double>(sites)};
    allreduce_sum(ctx, all);
    expect(all[0] == 5 * 7 * 3, "all sites are dealt");
    for (int mu = 0; mu < 3; ++mu)
      for (const int sign : {-1, 1}) {
        const int end = sign < 0 ? 0 : ranks.grid()[static_cast<std::size_t>(mu)] - 1;
        const bool last = ranks.position()[static_cast<std::size_t>(mu)] == end;
        expect((ranks.neighbour(mu, sign) < 0) == (mu == 1 && last), "an end has no neighbour");
      }
  });
}
