#include <onehop/gauge_field.hpp>

#include <vector>

#include <onehop/halo_exchange.hpp>

#include <onehop/random.hpp>
#include "gauge/neighbour_links.hpp"
#include "gauge/su3.hpp"

namespace onehop {

struct gauge_field::state {
  explicit state(const onehop::geometry& block)
      : geometry(block),
        links(4 * links_layout(block).volume()),
        rows{row(0), row(1), row(2), row(3)},
        ghosts(rows[0], {.corners = true}) {}

  halo_field<colour_matrix> row(std::size_t mu) {
    const halo_layout layout = links_layout(geometry);
    return {layout, std::span(links).subspan(mu * layout.volume(), layout.volume())};
  }

  onehop::geometry geometry;
  std::vector<colour_matrix> links;
  std::array<halo_field<colour_matrix>, 4> rows;  ///< links of one direction each
  halo_exchange ghosts;  ///< exchange of the ghosts of one direction at a time
};

gauge_field::gauge_field(const onehop::geometry& geometry)
    : state_(std::make_unique<state>(geometry)) {}
gauge_field::~gauge_field() = default;
gauge_field::gauge_field(gauge_field&&) noexcept = default;
gauge_field& gauge_field::operator=(gauge_field&&) noexcept = default;

const geometry& gauge_field::geometry() const noexcept { return state_->geometry; }

colour_matrix& gauge_field::link(int mu, const coordinate& site) noexcept {
  return state_->rows[static_cast<std::size_t>(mu)][site];
}
const colour_matrix& gauge_field::link(int mu, const coordinate& site) const noexcept {
  return state_->rows[static_cast<std::size_t>(mu)][site];
}

std::span<colour_matrix> gauge_field::data() noexcept { return state_->links; }
std::span<const colour_matrix> gauge_field::data() const noexcept { return state_->links; }

void gauge_field::exchange_ghosts() {
  for (int mu = 0; mu < 4; ++mu) exchange_ghosts(mu);
}
void gauge_field::exchange_ghosts(int mu) {
  state_->ghosts.exchange(state_->rows[static_cast<std::size_t>(mu)]);
}

void set_cold(gauge_field& links) {
  for (colour_matrix& link : links.data()) link = su3::unit();
}

namespace {

/// Orthonormalising rows of independent complex Gaussians gives the distribution of the Haar
/// measure.
colour_matrix haar_matrix(site_random numbers) noexcept {
  colour_matrix u{};
  for (std::size_t k = 0; k < 6; ++k) {
    const auto [real, imaginary] = numbers.gaussian_pair();
    u[k] = {real, imaginary};
  }
  su3::reunitarise(u);
  return u;
}

}  // namespace

void set_hot(gauge_field& links, std::uint64_t seed) {
  const geometry& geometry = links.geometry();
  for_each_site(geometry, [&](const coordinate& site) {
    const std::uint64_t global = geometry.global_index(geometry.global_site(site));
    for (int mu = 0; mu < 4; ++mu)
      links.link(mu, site) = haar_matrix(
          site_random(seed, random_use::hot_start, static_cast<std::uint64_t>(mu), global));
  });
  links.exchange_ghosts();
}

}  // namespace onehop
