#include "lattice/padded_field.hpp"

#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>
#include <complex>
#include <vector>

using namespace onehop;

namespace {

struct lattice_case {
  coordinate lattice, grid;
};

/// Odd extents, extents of one, directions with one, two and three ranks.
const std::vector<lattice_case> cases = {
    {{4, 3, 2, 5}, {1, 1, 1, 1}}, {{1, 1, 1, 1}, {1, 1, 1, 1}}, {{4, 4, 4, 4}, {1, 1, 1, 4}},
    {{2, 2, 2, 2}, {2, 2, 1, 1}}, {{3, 3, 2, 6}, {1, 1, 2, 2}}, {{6, 2, 3, 1}, {2, 1, 3, 1}}};

struct big_site {
  std::array<std::complex<double>, 12> values;
};

void set(int& site, std::size_t global, int round) { site = static_cast<int>(global) * 10 + round; }
void set(big_site& site, std::size_t global, int round) {
  for (std::size_t k = 0; k < 12; ++k)
    site.values[k] = {static_cast<double>(global * 12 + k), static_cast<double>(round)};
}
bool same(int a, int b) { return a == b; }
bool same(const big_site& a, const big_site& b) { return a.values == b.values; }

template <class Visit>
void for_each_padded(const coordinate& local, const Visit& visit) {
  coordinate s{};
  for (s[3] = -1; s[3] <= local[3]; ++s[3])
    for (s[2] = -1; s[2] <= local[2]; ++s[2])
      for (s[1] = -1; s[1] <= local[1]; ++s[1])
        for (s[0] = -1; s[0] <= local[0]; ++s[0]) visit(s);
}

std::size_t wrapped_index(const geometry& block, const coordinate& site) {
  coordinate global = block.global_site(site);
  for (std::size_t mu = 0; mu < 4; ++mu)
    global[mu] = (global[mu] + block.lattice()[mu]) % block.lattice()[mu];
  return block.global_index(global);
}

template <class Site>
void fill_interior(padded_field<Site>& field, int round) {
  const geometry& block = field.geometry();
  for (std::size_t k = 0; k < block.local_volume(); ++k) {
    const coordinate site = block.local_site(k);
    set(field[site], wrapped_index(block, site), round);
  }
}

/// Sites, ghosts and corners included, that do not hold what belongs there.
template <class Site>
int wrong_sites(const padded_field<Site>& field, int round) {
  int wrong = 0;
  for_each_padded(field.geometry().local(), [&](const coordinate& site) {
    Site expected{};
    set(expected, wrapped_index(field.geometry(), site), round);
    wrong += !same(field[site], expected);
  });
  return wrong;
}

template <class Site>
void check_exchange(const lattice_case& c) {
  const auto ranks = static_cast<int>(volume(c.grid));
  std::vector<int> wrong(volume(c.grid));
  run_on_threads(ranks, [&](context ctx) {
    padded_field<Site> field(geometry(ctx, c.lattice, c.grid));
    for (int round = 0; round < 5; ++round) {
      fill_interior(field, round);
      field.exchange();
      wrong[static_cast<std::size_t>(ctx.rank())] += wrong_sites(field, round);
    }
  });
  for (const int sites : wrong)
    BOOST_TEST(sites == 0, to_string(c.lattice)
                               << " on " << to_string(c.grid) << ": " << sites << " sites wrong");
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_ghost_and_corner_holds_its_site) {
  for (const auto& c : cases) {
    check_exchange<int>(c);
    check_exchange<big_site>(c);
  }
}

BOOST_AUTO_TEST_CASE(fields_that_share_an_exchange_do_not_mix) {
  std::vector<int> wrong(2);
  run_on_threads(2, [&](context ctx) {
    padded_field<int> one(geometry(ctx, {4, 2, 2, 4}, {1, 1, 1, 2}));
    padded_field<int> other(one.ghosts());
    for (int round = 0; round < 4; round += 2) {
      fill_interior(one, round);
      fill_interior(other, round + 1);
      one.exchange();
      other.exchange();
      wrong[static_cast<std::size_t>(ctx.rank())] +=
          wrong_sites(one, round) + wrong_sites(other, round + 1);
    }
  });
  BOOST_TEST(wrong[0] == 0);
  BOOST_TEST(wrong[1] == 0);
}

BOOST_AUTO_TEST_CASE(a_field_of_another_size_is_refused) {
  const auto exchange_16_bytes = [](context ctx) {
    ghost_exchange ghosts(geometry(ctx, {2, 2, 2, 2}), 8);
    std::vector<std::byte> memory(16);
    ghosts.exchange(memory);
  };
  BOOST_CHECK_THROW(run_on_threads(1, exchange_16_bytes), usage_error);
}
