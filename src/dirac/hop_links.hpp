#pragma once
/// hop_links are the links along which an operator hops.

#include <onehop/dirac_operator.hpp>
#include <onehop/improved_links.hpp>

#include <optional>

namespace onehop {

/// The links are thin, or the fat and Naik links made from them.
class hop_links {
 public:
  /// The constructor is collective. `thin` must have valid ghosts and outlive this object. Throws
  /// usage_error for a tadpole factor that is not positive.
  hop_links(const gauge_field& thin, const dirac_operator& dirac = wilson{});

  const onehop::geometry& geometry() const noexcept { return thin_->geometry(); }
  int reach() const noexcept { return behind_ ? 3 : 1; }
  const gauge_field& thin() const noexcept { return *thin_; }
  /// Returns the links from x to x+mu.
  const gauge_field& near() const noexcept { return made_ ? made_->fat : *thin_; }
  /// Returns the link that starts or (backward) ends at x and spans `distance` sites, 1 or reach().
  const colour_matrix& link(int mu, const coordinate& x, bool backward, int distance) const;
  /// Returns the links from x to x+3mu, if reach() is 3.
  const gauge_field& far() const noexcept { return made_->naik; }

 private:
  const gauge_field* thin_;
  std::optional<improved_links> made_;
  std::optional<gauge_field> behind_;  ///< at x: the Naik link from x-3mu
};

}  // namespace onehop
