#include <spin_glass/sampler.hpp>
#include <spin_glass/sweep_order.hpp>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <mutex>
#include <vector>

using namespace spin_glass;

namespace {

/// A progress knows how many half-sweeps each plane has had, and counts mistakes.
class progress {
 public:
  explicit progress(int planes) : done_(static_cast<std::size_t>(planes)) {}

  void play(const std::vector<plane_sweep>& planes, int half_sweeps) {
    for (const auto& [half_sweep, z] : planes)
      if (half_sweep < half_sweeps) update(half_sweep, z);
  }
  bool all_have(int half_sweeps) const {
    return std::ranges::all_of(done_, [&](int done) { return done == half_sweeps; });
  }
  int mistakes() const { return mistakes_; }

 private:
  int& at(int z) { return done_[(static_cast<std::size_t>(z) + done_.size()) % done_.size()]; }
  /// The neighbouring planes must have had the previous half-sweep, and not yet the next one.
  void update(int half_sweep, int z) {
    const auto fits = [&](int done) { return done == half_sweep || done == half_sweep + 1; };
    const bool right = at(z) == half_sweep && fits(at(z - 1)) && fits(at(z + 1));
    mistakes_ += right ? 0 : 1;
    ++at(z);
  }

  std::vector<int> done_;
  int mistakes_ = 0;
};

/// These are the spins of a lattice by global index, after a heatbath and `overrelaxations`, of
/// which `together` go over the lattice together.
template <class Real>
std::map<std::uint64_t, std::array<Real, 3>> spins_after(const std::vector<int>& lattice, int ranks,
                                                         int overrelaxations, int together) {
  std::map<std::uint64_t, std::array<Real, 3>> found;
  std::mutex lock;
  onehop::run_on_threads(ranks, [&](const onehop::context& job) {
    const onehop::cartesian grid(job, lattice, {.grid = std::vector{1, 1, ranks}});
    sampler<Real> spins(std::make_shared<couplings<Real>>(
        checkerboard(grid, sizeof(Real)), random_bonds(disorder::gaussian, 3, grid.extents())));
    spins.go_together(together);
    spins.set_hot(5);
    spins.heatbath(1.1, 5, 0);
    spins.overrelax_both(overrelaxations);
    const std::lock_guard held(lock);
    const auto& local = grid.local();
    for (int z = 0; z < local[2]; ++z)
      for (int y = 0; y < local[1]; ++y)
        for (int x = 0; x < local[0]; ++x)
          found[spins.block().index(spins.block().global(x, y, z))] = spins.spin(x, y, z);
  });
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_plane_is_updated_when_those_around_have_had_the_half_sweep_before) {
  for (const int planes : {1, 2, 3, 8, 24}) {
    const sweep_order order = order_of(8, planes);
    for (const int half_sweeps : {2, 4, 8}) {
      progress of(planes);
      for (int k = 0; k < half_sweeps; ++k) {
        of.play(order.ends[k], half_sweeps);
        if (k == 0) of.play(order.inside, half_sweeps);
      }
      BOOST_TEST(of.mistakes() == 0, planes << " planes, " << half_sweeps << " half-sweeps");
      BOOST_TEST(of.all_have(half_sweeps));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_inside_needs_no_plane_beyond_the_ends) {
  const int planes = 12;
  const sweep_order order = order_of(6, planes);
  BOOST_TEST(order.inside.size() == 2u * 10 + 8 + 6 + 4 + 2);
  for (const plane_sweep& each : order.inside) BOOST_TEST((each.z > 0 && each.z < planes - 1));
}

BOOST_AUTO_TEST_CASE(spins_are_the_same_bits_when_overrelaxations_go_together) {
  const std::vector<int> lattice{10, 6, 12};
  const auto expected = spins_after<float>(lattice, 1, 5, 0);
  const auto fine = spins_after<double>(lattice, 1, 5, 0);
  BOOST_TEST(expected.size() == 10u * 6 * 12);
  for (const int ranks : {1, 2, 4, 12}) {
    for (const int together : {1, 2, 7})
      BOOST_TEST((spins_after<float>(lattice, ranks, 5, together) == expected),
                 ranks << " ranks, " << together << " together");
    BOOST_TEST((spins_after<double>(lattice, ranks, 5, 2) == fine));
  }
}
