#pragma once
/// Fat and three-hop links once more, path by path: every link of every path multiplied out, on a
/// copy of the whole lattice. For small lattices.

#include <onehop/gauge_field.hpp>

namespace onehop::reference {

/// Links from x to x+mu, and from x to x+3mu.
struct fat_and_naik {
  gauge_field fat, naik;
};

/// Collective. Fat7 with Lepage and Naik terms, and the tadpole factor u0.
fat_and_naik asqtad_links(const gauge_field& thin, double u0);
/// Collective. Fat7, then U(3), then fat7 with twice the Lepage term, and - (1 + naik_epsilon)/6 of
/// the third derivative along the link.
fat_and_naik hisq_links(const gauge_field& thin, double naik_epsilon);

}  // namespace onehop::reference
