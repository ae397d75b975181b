#include "solver/krylov_batch.hpp"

#include "base/text.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace onehop {

krylov_batch::krylov_batch(const lane_layout& layout, lane_field& x, const krylov_limits& limits,
                           const rhs_values& norms2)
    : layout_(&layout), x_(&x), limits_(&limits), going_(norms2.size()) {
  std::iota(going_.begin(), going_.end(), 0);
  for (const double norm2 : norms2) {
    states_.push_back(limits.first_state(states_.size(), std::sqrt(norm2)));
  }
}

std::optional<std::vector<int>> krylov_batch::retire(std::initializer_list<lane_field*> fields) {
  std::vector<int> staying, leaving, staying_numbers, leaving_numbers;
  for (int place = 0; place < static_cast<int>(going_.size()); ++place) {
    const int number = going_[place];
    const bool stays = states_[number].is_going();
    (stays ? staying : leaving).push_back(place);
    (stays ? staying_numbers : leaving_numbers).push_back(number);
  }
  if (leaving.empty()) return std::nullopt;
  if (rest_) {
    x_->put(leaving_numbers, rest_->pick(*layout_, leaving));
    rest_->keep(staying);
  } else if (!staying.empty()) {
    rest_ = x_->pick(*layout_, staying);
  }
  for (lane_field* field : fields) field->keep(staying);
  going_ = std::move(staying_numbers);
  return staying;
}

bool krylov_batch::done_together() const {
  const auto has_no_more = [](const iteration_state& state) {
    return state.iterations >= state.limit;
  };
  return std::ranges::any_of(states_, has_no_more) ||
         std::ranges::none_of(states_, &iteration_state::is_going);
}

std::vector<int> krylov_batch::due(const rhs_values& norms2, const rhs_values& gradients2) {
  std::vector<int> places;
  if (!limits_->update) return places;
  for (int place = 0; place < static_cast<int>(going_.size()); ++place) {
    iteration_state& now = states_[going_[place]];
    if (now.updates.due(std::sqrt(norms2[place]), std::sqrt(gradients2[place]), now.target,
                        now.rule)) {
      places.push_back(place);
    }
  }
  return places;
}

// A step of zero for the other right-hand sides takes less time than copying the chosen ones; in 16
// bits, however, it would round the others once more.
void krylov_batch::step(field_algebra& algebra, std::span<const int> places, rhs_values& alpha,
                        const lane_field& p) {
  if (are_all(places)) {
    algebra.axpy(x(), alpha, p);
  } else if (x().kind() != field_precision::half) {
    rhs_values steps(alpha.size(), 0.0);
    for (const int place : places) steps[place] = alpha[place];
    algebra.axpy(x(), steps, p);
  } else {
    lane_field part = x().pick(*layout_, places);
    const rhs_values steps = picked(alpha, places);
    algebra.axpy(part, steps, p.pick(*layout_, places));
    x().put(places, part);
  }
  for (const int place : places) alpha[place] = 0;
}

void krylov_batch::update(std::span<const int> places, lane_field& r, rhs_values& norms2) {
  update(places, r, places, norms2);
}

void krylov_batch::update(std::span<const int> places, lane_field& r, std::span<const int> r_places,
                          rhs_values& norms2) {
  const std::vector<int> numbers = picked(going_, places);
  const rhs_values fresh = limits_->update({numbers, x(), places, r, r_places});
  for (std::size_t k = 0; k < places.size(); ++k) {
    norms2[places[k]] = fresh[k];
    states_[numbers[k]].update(std::sqrt(fresh[k]));
  }
}

void krylov_batch::note(const rhs_values& norms2, const char* solver) {
  for (std::size_t place = 0; place < going_.size(); ++place) {
    iteration_state& now = states_[going_[place]];
    ++now.iterations;
    now.residual = std::sqrt(norms2[place]);
  }
  const auto state = [this](int number) -> const iteration_state& { return states_[number]; };
  tell_progress(*limits_, going_, state, solver);
}

krylov_results results_of(std::span<const iteration_state> states) {
  krylov_results results;
  for (const iteration_state& state : states) results.push_back(result_of(state));
  return results;
}

void require_finite(double value, const char* what, int iteration) {
  if (std::isfinite(value)) return;
  throw numeric_error(text("the ", what, " is ", value, " after ", iteration,
                           " iterations: the system is singular or overflows; check the mass and "
                           "the links"));
}

}  // namespace onehop
