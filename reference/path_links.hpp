#pragma once
/// Fat and Naik links are made once more here, path by path: every link of every path is multiplied
/// out, on a copy of the whole lattice. This is for small lattices.

#include <onehop/gauge_field.hpp>

namespace onehop::reference {

/// The links go from x to x+mu, and from x to x+3mu.
struct fat_and_naik {
  gauge_field fat, naik;
};

/// Makes Fat7 links with Lepage and Naik terms and the tadpole factor u0. Collective.
fat_and_naik asqtad_links(const gauge_field& thin, double u0);
/// Makes Fat7 links, projects them to U(3), and makes from those Fat7 links with twice the Lepage
/// term, and - (1 + naik_epsilon)/6 of the third derivative along the link. Collective.
fat_and_naik hisq_links(const gauge_field& thin, double naik_epsilon);

}  // namespace onehop::reference
