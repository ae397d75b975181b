#include "rma/halo/halo_check.hpp"

#include <algorithm>
#include <iterator>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "rma/gather.hpp"

namespace onehop {
namespace {

std::string describe_ghosts(const halo_layout& layout) {
  std::string widths;
  for (int mu = 0; mu < layout.ranks().dimensions(); ++mu)
    widths += text(mu == 0 ? "" : ", ", layout.width(mu, 0), " and ", layout.width(mu, 1));
  return widths;
}

/// Returns a line for each thing that every rank has to give alike, what others follow from first.
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

std::vector<char> joined(const std::vector<std::string>& lines) {
  std::vector<char> all;
  for (const std::string& line : lines) {
    all.insert(all.end(), line.begin(), line.end());
    all.push_back('\n');
  }
  return all;
}

std::string line_at(const std::vector<char>& all, std::vector<char>::const_iterator place) {
  const auto begin = std::find(std::make_reverse_iterator(place), all.rend(), '\n').base();
  return {begin, std::find(place, all.end(), '\n')};
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
  const context& ctx = fields.front()->ranks().context();
  if (ctx.size() == 1 || ctx.transport().starts_with("virtual:")) return;
  const auto all = gather_lists(ctx, joined(describe_exchange(fields, how)));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    const auto [ours, theirs] = std::ranges::mismatch(all[0], all[rank]);
    if (ours == all[0].end()) continue;
    throw usage_error(text("a halo exchange of ", line_at(all[0], ours), " on rank 0 and of ",
                           line_at(all[rank], theirs), " on rank ", rank,
                           ": give the same on all"));
  }
}

}  // namespace onehop
