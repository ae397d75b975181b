#include "setup.hpp"

#include "random_uses.hpp"
#include "shape.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace particle_in_cell {
namespace {

constexpr double disturbance = 1e-6, disturbance_of_heat = 1e-2;

/// Returns the point at which the normal distribution reaches a share, by bisection.
double normal_quantile(double share) {
  double low = -40, high = 40;
  for (int halvings = 0; halvings < 64; ++halvings) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// Returns this many momenta that divide a Gaussian evenly. A few momenta miss its tails; therefore
/// all are scaled so that their mean square is that of the width.
std::vector<double> gaussian_momenta(int count, double width) {
  std::vector<double> found;
  double square = 0;
  for (int number = 0; number < count; ++number) {
    found.push_back(normal_quantile((number + 0.5) / count));
    square += found.back() * found.back() / count;
  }
  if (square > 0)
    for (double& each : found) each *= width / std::sqrt(square);
  return found;
}

}  // namespace

setup_kind setup_named(std::string_view word) {
  constexpr std::array<std::string_view, 8> words{"vacuum-wave",  "plasma-oscillation", "langmuir",
                                                  "plasma-light", "two-stream",         "gyration",
                                                  "thermal",      "wakefield"};
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end())
    throw onehop::usage_error("setup '" + std::string(word) +
                              "' is not known; choose vacuum-wave, plasma-oscillation, langmuir, "
                              "plasma-light, two-stream, gyration, thermal or wakefield");
  return static_cast<setup_kind>(found - words.begin());
}

setup::setup(const setup_options& how, const onehop::coordinate& extents, int dimensions)
    : how_(how),
      extents_(extents),
      dimensions_(dimensions),
      least_(how.order == 1 ? shape<1>::least : shape<2>::least) {
  if (how.kind == setup_kind::langmuir) thermal_ = gaussian_momenta(how.particles, how.speed);
}

double setup::density() const noexcept {
  const bool charged = how_.kind != setup_kind::vacuum_wave && how_.kind != setup_kind::gyration;
  return charged ? how_.cell * how_.cell : 0;
}

boundary setup::ends() const noexcept {
  return how_.kind == setup_kind::wakefield ? boundary::window : boundary::periodic;
}

double setup::magnetic_field() const noexcept {
  if (how_.kind != setup_kind::gyration) return 0;
  return 8 * how_.speed / std::min(extents_[0], extents_[1]);
}

double setup::wave_number(std::size_t mu) const noexcept {
  return static_cast<int>(mu) < dimensions_ ? 2 * std::numbers::pi / extents_[mu] : 0;
}

/// E of the wave is perpendicular to K, whose components are 2 sin(k/2), so that its divergence on
/// the grid is 0.
std::array<double, 3> setup::mode(const onehop::coordinate& cell) const {
  if (how_.kind == setup_kind::plasma_oscillation || how_.kind == setup_kind::langmuir ||
      how_.kind == setup_kind::two_stream)
    return {std::sin(wave_number(0) * (cell[0] + 0.5)), 0, 0};
  if (how_.kind == setup_kind::plasma_light) return {0, std::sin(wave_number(0) * cell[0]), 0};
  if (how_.kind != setup_kind::vacuum_wave) return {};
  std::array<double, 3> k{}, found{};
  double phase = 0;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    k[mu] = 2 * std::sin(wave_number(mu) / 2);
    phase += wave_number(mu) * cell[mu];
  }
  // The direction is that of K x z, if this has a length in x and y, and of K x (K x z).
  const std::array<double, 3> first{k[1], -k[0], 0},
      second{k[0] * k[2], k[1] * k[2], -(k[0] * k[0] + k[1] * k[1])};
  const double across = std::hypot(k[0], k[1]), all = std::hypot(k[0], k[1], k[2]);
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const double along = (first[mu] + second[mu] / all) / (std::numbers::sqrt2 * across);
    found[mu] = along * std::cos(phase + wave_number(mu) / 2);
  }
  return found;
}

std::array<double, 3> setup::electric(const onehop::coordinate& cell) const {
  if (how_.kind == setup_kind::vacuum_wave) return mode(cell);
  if (how_.kind == setup_kind::plasma_light) return {0, how_.speed * how_.cell * mode(cell)[1], 0};
  return {};
}

std::array<double, 3> setup::magnetic(const onehop::coordinate& /*cell*/) const {
  return {0, 0, magnetic_field()};
}

std::uint64_t setup::number_of(const onehop::coordinate& cell) const noexcept {
  return static_cast<std::uint64_t>(cell[0]) +
         static_cast<std::uint64_t>(extents_[0]) *
             (static_cast<std::uint64_t>(cell[1]) +
              static_cast<std::uint64_t>(extents_[1]) * static_cast<std::uint64_t>(cell[2]));
}

/// The places fill a cell evenly for any number of particles. They are a Kronecker sequence whose
/// steps are powers of the root of x^(d+1) = x + 1, which is the golden ratio for one dimension.
std::array<double, 3> setup::place(std::uint64_t number) const {
  const double root = dimensions_ == 2 ? 1.32471795724474602596 : 1.22074408460575947536;
  std::array<double, 3> found{};
  double step = 1;
  for (int mu = 0; mu < dimensions_; ++mu) {
    step /= root;
    const double at = 0.5 + step * static_cast<double>(number + 1);
    found[static_cast<std::size_t>(mu)] = at - std::floor(at) + least_;
  }
  return found;
}

std::array<double, 3> setup::momentum(const onehop::coordinate& cell, const particle& of,
                                      int number) const {
  const double x = cell[0] + of.offset[0], wave = std::sin(wave_number(0) * x);
  if (how_.kind == setup_kind::plasma_oscillation) return {how_.speed * wave, 0, 0};
  if (how_.kind == setup_kind::plasma_light) return {};
  if (how_.kind == setup_kind::langmuir)
    return {thermal_[static_cast<std::size_t>(number)] + disturbance_of_heat * how_.speed * wave, 0,
            0};
  if (how_.kind == setup_kind::two_stream)
    return {how_.speed * ((number % 2 == 0 ? 1 : -1) + disturbance * wave), 0, 0};
  onehop::site_random draws(how_.seed, random_momenta, static_cast<std::uint64_t>(number / 2),
                            number_of(cell));
  const auto first = draws.gaussian_pair(), second = draws.gaussian_pair();
  const double width = number % 2 == 0 ? how_.speed : -how_.speed;
  return {width * first[0], width * first[1], width * second[0]};
}

/// Two beams have the same places, so that each begins with an even density.
void setup::for_particles(const onehop::coordinate& cell,
                          const std::function<void(const particle&)>& take) const {
  if (how_.kind == setup_kind::vacuum_wave) return;
  if (how_.kind == setup_kind::gyration) return for_test_particles(cell, take);
  if (how_.kind == setup_kind::wakefield) return for_particles_at_rest(cell, take);
  for (int number = 0; number < how_.particles; ++number) {
    const int at = how_.kind == setup_kind::two_stream ? number / 2 : number;
    particle made;
    made.offset = place(static_cast<std::uint64_t>(at));
    made.u = momentum(cell, made, number);
    made.id = number_of(cell) * static_cast<std::uint64_t>(how_.particles) +
              static_cast<std::uint64_t>(number);
    take(made);
  }
}

/// The cells of a moving window have no end along x, so that x varies most slowly in the numbers of
/// particles.
void setup::for_particles_at_rest(const onehop::coordinate& cell,
                                  const std::function<void(const particle&)>& take) const {
  if (cell[0] < extents_[0] - absorber::thickness) return;
  for (std::size_t mu = 1; static_cast<int>(mu) < dimensions_; ++mu)
    if (cell[mu] < absorber::thickness || cell[mu] >= extents_[mu] - absorber::thickness) return;
  const auto behind = static_cast<std::uint64_t>(cell[0] - extents_[0] + absorber::thickness),
             plane =
                 static_cast<std::uint64_t>(extents_[1]) * static_cast<std::uint64_t>(extents_[2]);
  onehop::coordinate in_plane = cell;
  in_plane[0] = 0;
  const std::uint64_t number_in_plane =
      number_of(in_plane) / static_cast<std::uint64_t>(extents_[0]);
  for (int number = 0; number < how_.particles; ++number) {
    particle made;
    made.offset = place(static_cast<std::uint64_t>(number));
    made.id = (behind * plane + number_in_plane) * static_cast<std::uint64_t>(how_.particles) +
              static_cast<std::uint64_t>(number);
    take(made);
  }
}

void setup::for_test_particles(const onehop::coordinate& cell,
                               const std::function<void(const particle&)>& take) const {
  for (int number = 0; number < how_.particles; ++number) {
    const auto id = static_cast<std::uint64_t>(number);
    onehop::site_random draws(how_.seed, random_places, 0, id);
    const auto [x, y] = draws.uniform_pair();
    const double z = draws.uniform_pair()[0];
    const std::array<double, 3> at{x * extents_[0], y * extents_[1], z * extents_[2]};
    particle made;
    bool here = true;
    for (std::size_t mu = 0; mu < 3; ++mu) {
      here = here && static_cast<int>(at[mu]) == cell[mu];
      if (static_cast<int>(mu) < dimensions_)
        made.offset[mu] = at[mu] - std::floor(at[mu]) + least_;
    }
    if (!here) continue;
    const double across = how_.speed * (number + 1) / how_.particles;
    made.u = {across, 0, across / 2};
    made.id = id;
    take(made);
  }
}

}  // namespace particle_in_cell
