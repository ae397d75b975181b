#include "parts.hpp"

#include <utility>

namespace lattice_boltzmann {
namespace {

void cut_columns(block_parts& of, int line) {
  std::vector<part> rest;
  for (part each : of.inside) {
    const int columns = each.x1;
    if (columns <= 2 * line) {
      of.faces.push_back(each);
      continue;
    }
    each.x1 = line;
    of.faces.push_back(each);
    each.x0 = columns - line, each.x1 = columns;
    of.faces.push_back(each);
    each.x0 = line, each.x1 = columns - line;
    rest.push_back(each);
  }
  of.inside = std::move(rest);
}

}  // namespace

block_parts::block_parts(const block& where, std::size_t cell_bytes) {
  const int columns = where.extent(0), rows = where.extent(1), planes = where.extent(2);
  const auto& ranks = where.ranks();
  for (int z = 0; z < planes; ++z) {
    if (ranks.distributed(2) && (z == 0 || z == planes - 1)) {
      faces.push_back({z, 0, rows, 0, columns});
    } else if (ranks.distributed(1)) {
      faces.push_back({z, 0, 1, 0, columns});
      if (rows > 1) faces.push_back({z, rows - 1, rows, 0, columns});
      if (rows > 2) inside.push_back({z, 1, rows - 1, 0, columns});
    } else {
      inside.push_back({z, 0, rows, 0, columns});
    }
  }
  if (ranks.distributed(0)) cut_columns(*this, 64 / static_cast<int>(cell_bytes));
}

}  // namespace lattice_boltzmann
