#include <onehop/error.hpp>
#include <onehop/geometry.hpp>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>
#include <vector>

using namespace onehop;

namespace {

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const usage_error& e) {
    return e.what();
  }
  return "no usage_error";
}

void check_mentions(const std::string& message, const std::vector<std::string>& pieces) {
  for (const auto& piece : pieces)
    BOOST_TEST((message.find(piece) != std::string::npos), "'" << piece << "' in: " << message);
}

std::string error_of_geometry(int ranks, const coordinate& lattice, const coordinate& grid) {
  std::vector<std::string> messages(static_cast<std::size_t>(ranks));
  run_on_threads(ranks, [&](context ctx) {
    messages[static_cast<std::size_t>(ctx.rank())] =
        message_of([&] { geometry(ctx, lattice, grid); });
  });
  for (const auto& message : messages) BOOST_TEST(message == messages[0]);
  return messages[0];
}

/// Returns the sites sent by one rank, counted in the most obvious way.
std::size_t faces(const coordinate& lattice, const coordinate& grid) {
  std::size_t sum = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (grid[mu] == 1) continue;
    std::size_t face = 2;
    for (std::size_t nu = 0; nu < 4; ++nu)
      if (nu != mu) face *= static_cast<std::size_t>(lattice[nu] / grid[nu]);
    sum += face;
  }
  return sum;
}

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

std::size_t fewest_faces(const coordinate& lattice, int ranks) {
  std::size_t fewest = none;
  coordinate g{};
  for (g[0] = 1; g[0] <= ranks; ++g[0])
    for (g[1] = 1; g[1] <= ranks; ++g[1])
      for (g[2] = 1; g[2] <= ranks; ++g[2])
        for (g[3] = 1; g[3] <= ranks; ++g[3]) {
          if (volume(g) != static_cast<std::size_t>(ranks)) continue;
          bool divides = true;
          for (std::size_t mu = 0; mu < 4; ++mu) divides = divides && lattice[mu] % g[mu] == 0;
          if (divides) fewest = std::min(fewest, faces(lattice, g));
        }
  return fewest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_chosen_grid_has_the_smallest_faces) {
  for (const coordinate lattice : {coordinate{8, 8, 8, 8}, {4, 6, 10, 16}, {16, 2, 2, 3}})
    for (const int ranks : {1, 2, 4, 6, 8, 12}) {
      const std::size_t fewest = fewest_faces(lattice, ranks);
      if (fewest == none) continue;
      const coordinate grid = choose_grid(lattice, ranks);
      BOOST_TEST(volume(grid) == static_cast<std::size_t>(ranks));
      BOOST_TEST(faces(lattice, grid) == fewest);
    }
}

BOOST_AUTO_TEST_CASE(ties_split_the_last_direction) {
  BOOST_TEST(choose_grid({8, 8, 8, 8}, 2) == (coordinate{1, 1, 1, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(choose_grid({8, 8, 8, 9}, 2) == (coordinate{1, 1, 2, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(choose_grid({8, 8, 7, 9}, 2) == (coordinate{1, 2, 1, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(choose_grid({16, 8, 8, 8}, 2) == (coordinate{2, 1, 1, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(blocks_are_as_thick_as_asked_for) {
  BOOST_TEST(choose_grid({8, 8, 8, 4}, 4, 3) == (coordinate{1, 2, 2, 1}),
             boost::test_tools::per_element());
  check_mentions(message_of([] {
                   choose_grid({4, 4, 4, 8}, 4, 3);
                 }),
                 {"3 sites", "the next smaller number that fits is 2"});
}

BOOST_AUTO_TEST_CASE(impossible_numbers_of_ranks_are_refused_with_the_nearest_that_fit) {
  check_mentions(message_of([] {
                   choose_grid({8, 8, 8, 8}, 3);
                 }),
                 {"8x8x8x8", "3 ranks", "the nearest numbers that fit are 2 and 4"});
  check_mentions(message_of([] {
                   choose_grid({4, 4, 4, 4}, 5000);
                 }),
                 {"4x4x4x4", "5000 ranks", "the next smaller number that fits is 256"});
  check_mentions(message_of([] { choose_grid({8, 8, 8, 8}, 0); }), {"0 ranks"});
  check_mentions(message_of([] { choose_grid({8, 0, 8, 8}, 1); }), {"8x0x8x8", "extent 0"});
  check_mentions(message_of([] {
                   choose_grid({60000, 60000, 60000, 60000}, 1);
                 }),
                 {"60000", "2^48"});
}

BOOST_AUTO_TEST_CASE(grids_that_do_not_fit_are_refused_with_all_values) {
  check_mentions(error_of_geometry(3, {8, 8, 8, 8}, {1, 1, 1, 3}),
                 {"grid 1x1x1x3 does not divide lattice 8x8x8x8",
                  "t extent 8 over 3 ranks; use a divisor of 8"});
  check_mentions(error_of_geometry(2, {8, 8, 8, 8}, {1, 1, 2, 2}), {"1x1x2x2", "4 ranks", "has 2"});
  check_mentions(error_of_geometry(1, {8, 8, 8, 8}, {1, 0, 1, 1}), {"1x0x1x1", "0 ranks in y"});
}

BOOST_AUTO_TEST_CASE(the_blocks_tile_the_lattice) {
  const coordinate lattice{4, 6, 2, 3};
  std::vector<int> covered(volume(lattice)), wrong(6);
  std::vector<std::vector<std::size_t>> indices(6);
  run_on_threads(6, [&](context ctx) {
    const auto rank = static_cast<std::size_t>(ctx.rank());
    const geometry block(ctx, lattice, {2, 3, 1, 1});
    for (std::size_t k = 0; k < block.local_volume(); ++k) {
      const coordinate site = block.local_site(k), global = block.global_site(site);
      wrong[rank] += block.local_index(site) != k;
      wrong[rank] += block.parity(site) != (global[0] + global[1] + global[2] + global[3]) % 2;
      indices[rank].push_back(block.global_index(global));
    }
    wrong[rank] += block.rank_at(block.position()) != ctx.rank();
  });
  for (const auto& of_rank : indices)
    for (const std::size_t index : of_rank) ++covered.at(index);
  BOOST_TEST(std::all_of(covered.begin(), covered.end(), [](int n) { return n == 1; }));
  for (const int errors : wrong) BOOST_TEST(errors == 0);
}

BOOST_AUTO_TEST_CASE(indices_run_fastest_in_x) {
  std::vector<std::size_t> indices;
  run_on_threads(1, [&](context ctx) {
    const geometry block(ctx, {3, 4, 5, 6});
    indices = {block.local_index({1, 0, 0, 0}), block.local_index({0, 1, 0, 0}),
               block.local_index({0, 0, 1, 0}), block.local_index({2, 3, 4, 5}),
               block.global_index({2, 3, 4, 5})};
  });
  BOOST_TEST(indices == (std::vector<std::size_t>{1, 3, 12, 359, 359}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(neighbours_are_mutual_and_periodic) {
  std::vector<int> forward(6), backward(6), across(6);
  run_on_threads(6, [&](context ctx) {
    const auto rank = static_cast<std::size_t>(ctx.rank());
    const geometry block(ctx, {4, 4, 4, 6}, {2, 1, 1, 3});
    forward[rank] = block.neighbour(3, +1);
    backward[rank] = block.neighbour(3, -1);
    across[rank] = block.neighbour(1, -1);
  });
  for (std::size_t rank = 0; rank < 6; ++rank) {
    BOOST_TEST(backward[static_cast<std::size_t>(forward[rank])] == static_cast<int>(rank));
    BOOST_TEST(forward[rank] == static_cast<int>((rank + 2) % 6));  // x is the fastest direction of
                                                                    // the grid
    BOOST_TEST(across[rank] == static_cast<int>(rank));
  }
}
