#include "dirac/site_diagonal.hpp"

#include "base/text.hpp"
#include "dirac/clover_term.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace onehop {
namespace {

double number_of(const dirac_operator& dirac) {
  const double mass = mass_of(dirac);
  const double d = is_staggered(kind_of(dirac)) ? mass : 4.0 + mass;
  const bool alone = csw_of(dirac) == 0 && mu_of(dirac) == 0;
  if ((alone && d == 0.0) || !std::isfinite(d)) {
    throw usage_error(text("mass ", mass, " makes the diagonal of M ", d,
                           ", which even/odd preconditioning divides by; use another mass"));
  }
  return d;
}

/// A bad_block is the first block without an inverse that a thread has found.
struct bad_block {
  bool found = false;
  bool finite = true;
  coordinate site{};
  std::size_t chirality = 0;
};

bool is_finite(const chiral_block& block) {
  return std::ranges::all_of(block, [](const std::complex<double>& entry) {
    return std::isfinite(entry.real()) && std::isfinite(entry.imag());
  });
}

void require_inverses(const context& ctx, const std::vector<bad_block>& of_threads) {
  together(ctx, [&] {
    for (const bad_block& bad : of_threads) {
      if (!bad.found) continue;
      const coordinate& x = bad.site;
      const std::string what =
          text("the clover block of spins ", bad.chirality == 0 ? "0, 1" : "2, 3", " at site (",
               x[0], ',', x[1], ',', x[2], ',', x[3], ") ");
      if (!bad.finite) throw numeric_error(text(what, "is not finite; check the links"));
      throw usage_error(text(what,
                             "has no inverse, which even/odd preconditioning needs; use "
                             "another mass or csw"));
    }
  });
}

}  // namespace

site_diagonal::site_diagonal(const gauge_field& links, const dirac_operator& dirac,
                             const lane_layout& layout, field_precision kind, thread_team& team)
    : number_(number_of(dirac)), twist_(mu_of(dirac)) {
  // Without a clover term the blocks are numbers.
  if (csw_of(dirac) == 0) return;
  for (int parity = 0; parity < 2; ++parity) {
    blocks_[parity].emplace(layout, parity, hermitian_numbers, kind, 2);
  }
  const int numbers = twist_ == 0 ? hermitian_numbers : general_numbers;
  inverse_.emplace(layout, inverted, numbers, kind, 2);
  make_blocks(links, csw_of(dirac), layout, team);
}

void site_diagonal::make_blocks(const gauge_field& links, double csw, const lane_layout& layout,
                                thread_team& team) {
  std::vector<bad_block> bad(static_cast<std::size_t>(team.threads()));
  const auto make_block = [&](int parity, std::size_t vector, int lane, int thread) {
    const coordinate site = layout.site(parity, static_cast<std::int32_t>(vector), lane);
    std::array<chiral_block, 2> term = clover_term(links, site, csw);
    for (std::size_t chirality = 0; chirality < 2; ++chirality) {
      chiral_block& block = term[chirality];
      for (std::size_t k = 0; k < 6; ++k) block[7 * k] += number_;
      const std::size_t place = 2 * vector + chirality;
      blocks_[parity]->write(place, lane, packed(block, false));
      if (parity != inverted) continue;
      const std::complex<double> twist(0, chirality == 0 ? twist_ : -twist_);
      for (std::size_t k = 0; k < 6; ++k) block[7 * k] += twist;
      if (const auto found = onehop::inverse(block)) {
        inverse_->write(place, lane, packed(*found, twist_ != 0));
      } else if (!bad[static_cast<std::size_t>(thread)].found) {
        bad[static_cast<std::size_t>(thread)] = {true, is_finite(block),
                                                 links.geometry().global_site(site), chirality};
      }
    }
  };
  for (int parity = 0; parity < 2; ++parity) {
    team.run([&](int thread) {
      const auto share = team.share(static_cast<std::size_t>(layout.vectors(parity)), thread);
      for (std::size_t vector = share.begin; vector < share.end; ++vector) {
        for (int lane = 0; lane < layout.lanes(); ++lane) {
          make_block(parity, vector, lane, thread);
        }
      }
    });
  }
  require_inverses(links.geometry().context(), bad);
}

site_factor site_diagonal::factor(int parity, bool dagger) const noexcept {
  const auto& blocks = blocks_[parity];
  return {.scale = number_,
          .twist = dagger ? -twist_ : twist_,
          .blocks = blocks ? blocks->data() : nullptr};
}

site_factor site_diagonal::inverse(bool dagger) const noexcept {
  if (inverse_) return {.blocks = inverse_->data(), .general = twist_ != 0, .adjoint = dagger};
  if (twist_ == 0) return {.scale = 1 / number_};
  const double size2 = number_ * number_ + twist_ * twist_;
  return {.scale = number_ / size2, .twist = (dagger ? twist_ : -twist_) / size2};
}

double reals_per_site(const site_factor& factor) noexcept {
  if (factor.blocks == nullptr) return 0;
  return 2.0 * 2 * (factor.general ? general_numbers : hermitian_numbers);
}

}  // namespace onehop
