#include "unit/io_configuration.hpp"

#include <cmath>
#include <random>

namespace samples {
namespace {

using number = std::complex<double>;

std::size_t at(int n) { return static_cast<std::size_t>(n); }

lattice_site step(lattice_site site, int mu, int by) {
  site[at(mu)] += by;
  return site;
}

link_matrix product(const link_matrix& a, const link_matrix& b) {
  link_matrix c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return c;
}

link_matrix adjoint(const link_matrix& a) {
  link_matrix c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c[3 * i + j] = std::conj(a[3 * j + i]);
  return c;
}

link_matrix random_su3(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  link_matrix u;
  for (auto& entry : u) entry = {normal(random), normal(random)};
  const auto scale = [&](std::size_t row) {
    double norm = 0;
    for (std::size_t k = 0; k < 3; ++k) norm += std::norm(u[3 * row + k]);
    for (std::size_t k = 0; k < 3; ++k) u[3 * row + k] /= std::sqrt(norm);
  };
  scale(0);
  number overlap = 0;
  for (std::size_t k = 0; k < 3; ++k) overlap += std::conj(u[k]) * u[3 + k];
  for (std::size_t k = 0; k < 3; ++k) u[3 + k] -= overlap * u[k];
  scale(1);
  set_third_row(u);
  return u;
}

// The value goes through memory, since g++ 12 at -O2 drops a rounding to float and back of
// neighbouring numbers.
double rounded_to_float(double value) {
  const volatile float narrow = static_cast<float>(value);
  return static_cast<double>(narrow);
}

}  // namespace

void set_third_row(link_matrix& u) {
  u[6] = std::conj(u[1] * u[5] - u[2] * u[4]);
  u[7] = std::conj(u[2] * u[3] - u[0] * u[5]);
  u[8] = std::conj(u[0] * u[4] - u[1] * u[3]);
}

configuration::configuration(const lattice_site& of) : extents(of) {
  links.resize(4 * onehop::io::site_count(of));
}

std::size_t configuration::index(const lattice_site& site, int mu) const {
  std::size_t n = 0;
  for (int d = 3; d >= 0; --d) {
    const int extent = extents[at(d)];
    n = n * at(extent) + at(((site[at(d)] % extent) + extent) % extent);
  }
  return 4 * n + at(mu);
}

const link_matrix& configuration::link(lattice_site site, int mu) const {
  return links[index(site, mu)];
}
link_matrix& configuration::link(lattice_site site, int mu) { return links[index(site, mu)]; }

configuration random_configuration(const lattice_site& extents, std::uint64_t seed, int bits) {
  std::mt19937_64 random(seed);
  configuration links(extents);
  for (auto& u : links.links) {
    u = random_su3(random);
    if (bits == 64) continue;
    for (auto& entry : u) {
      entry = {rounded_to_float(entry.real()), rounded_to_float(entry.imag())};
    }
  }
  return links;
}

double plaquette(const configuration& links) {
  double sum = 0;
  const auto& e = links.extents;
  for (std::size_t n = 0; n < links.links.size() / 4; ++n) {
    const lattice_site x{static_cast<int>(n) % e[0], static_cast<int>(n) / e[0] % e[1],
                         static_cast<int>(n) / (e[0] * e[1]) % e[2],
                         static_cast<int>(n) / (e[0] * e[1] * e[2])};
    for (int mu = 0; mu < 4; ++mu) {
      for (int nu = mu + 1; nu < 4; ++nu) {
        const auto there = product(links.link(x, mu), links.link(step(x, mu, 1), nu));
        const auto back = product(links.link(x, nu), links.link(step(x, nu, 1), mu));
        const auto p = product(there, adjoint(back));
        sum += (p[0] + p[4] + p[8]).real() / 3;
      }
    }
  }
  return sum / (6.0 * static_cast<double>(links.links.size() / 4));
}

double link_trace(const configuration& links) {
  double sum = 0;
  for (const auto& u : links.links) sum += (u[0] + u[4] + u[8]).real() / 3;
  return sum / static_cast<double>(links.links.size());
}

}  // namespace samples
