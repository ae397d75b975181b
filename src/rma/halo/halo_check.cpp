#include "rma/halo/halo_check.hpp"

#include <onehop/collectives.hpp>

#include "base/text.hpp"

namespace onehop {
namespace {

std::string describe_ghosts(const halo_layout& layout) {
  std::string widths;
  for (int mu = 0; mu < layout.ranks().dimensions(); ++mu)
    widths += text(mu == 0 ? "" : ", ", layout.width(mu, 0), " and ", layout.width(mu, 1));
  return widths;
}

/// Returns a line for each value that all ranks must give alike; values on which others depend come
/// first.
std::vector<std::string> describe_exchange(const std::vector<halo_memory*>& fields,
                                           const halo_options& how) {
  const halo_layout& first = fields.front()->layout();
  std::vector<std::string> lines{
      describe_lattice(first.ranks()), counted(fields.size(), "field"),
      first.padded() ? "padded fields" : "fields that are not padded",
      how.corners ? "faces and corners" : "faces without corners",
      how.ghosts.empty() ? "ghosts in memory of the exchange" : "ghosts in memory of the caller"};
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const halo_memory& field = *fields[f];
    lines.push_back(text("sites of ", field.site_bytes(), " bytes in field ", f));
    lines.push_back(text("ghosts of width ", describe_ghosts(field.layout()),
                         " below and above the block in field ", f));
  }
  return lines;
}

}  // namespace

std::string describe_lattice(const cartesian& ranks) {
  std::string periodic;
  for (int mu = 0; mu < ranks.dimensions(); ++mu)
    if (ranks.periodic(mu)) periodic += " " + std::to_string(mu);
  return text(to_string(ranks.extents()), " sites on a grid of ", to_string(ranks.grid()),
              " ranks, periodic in", periodic.empty() ? " no dimension" : periodic);
}

void require_alike(const std::vector<halo_memory*>& fields, const halo_options& how) {
  agree(fields.front()->ranks().context(), "a halo exchange of", describe_exchange(fields, how));
}

}  // namespace onehop
