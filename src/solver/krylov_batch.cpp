#include "solver/krylov_batch.hpp"

#include "base/text.hpp"

#include <onehop/error.hpp>

#include <cmath>
#include <limits>
#include <numeric>

namespace onehop {

krylov_batch::krylov_batch(const lane_layout& layout, lane_field& x, const krylov_limits& limits,
                           const rhs_values& norms2)
    : layout_(&layout), x_(&x), limits_(&limits), going_(norms2.size()) {
  std::iota(going_.begin(), going_.end(), 0);
  for (const double norm2 : norms2) {
    results_.push_back({0, std::sqrt(norm2)});
    columns_.push_back({reliable_updates(std::sqrt(norm2))});
  }
}

bool krylov_batch::ended(int number) const {
  const krylov_result& now = results_[number];
  const krylov_limits::column& limit = limits_->columns[number];
  return now.residual <= limit.target || now.iterations >= limit.max_iterations ||
         columns_[number].gave_up || columns_[number].updates.stuck();
}

std::optional<std::vector<int>> krylov_batch::retire(std::initializer_list<lane_field*> fields) {
  std::vector<int> staying, leaving, staying_numbers, leaving_numbers;
  for (int place = 0; place < static_cast<int>(going_.size()); ++place) {
    const int number = going_[place];
    (ended(number) ? leaving : staying).push_back(place);
    (ended(number) ? leaving_numbers : staying_numbers).push_back(number);
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

std::vector<int> krylov_batch::due(const rhs_values& norms2, const rhs_values& gradients2) {
  std::vector<int> places;
  if (!limits_->update) return places;
  for (int place = 0; place < static_cast<int>(going_.size()); ++place) {
    const int number = going_[place];
    if (columns_[number].updates.due(std::sqrt(norms2[place]), std::sqrt(gradients2[place]),
                                     limits_->columns[number].target, limits_->rule)) {
      places.push_back(place);
    }
  }
  return places;
}

// A step of zero for the other columns takes less time than copies of these columns; in 16 bits it
// would round the others once more.
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
    columns_[numbers[k]].updates.updated(std::sqrt(fresh[k]));
    results_[numbers[k]].updates = columns_[numbers[k]].updates.count();
  }
}

void krylov_batch::note(const rhs_values& norms2, const char* solver) {
  int farthest = -1;
  double farthest_distance = -std::numeric_limits<double>::infinity();
  for (std::size_t place = 0; place < going_.size(); ++place) {
    const int number = going_[place];
    krylov_result& result = results_[number];
    ++result.iterations;
    result.residual = std::sqrt(norms2[place]);
    require_finite(result.residual, solver, result.iterations);
    const double distance = result.residual / limits_->columns[number].target;
    if (distance > farthest_distance) {
      farthest = number;
      farthest_distance = distance;
    }
  }
  if (limits_->progress && farthest >= 0) {
    limits_->progress(farthest, results_[farthest].iterations, results_[farthest].residual);
  }
}

void require_finite(double value, const char* what, int iteration) {
  if (std::isfinite(value)) return;
  throw numeric_error(text("the ", what, " is ", value, " after ", iteration,
                           " iterations: the system is singular or overflows; check the mass and "
                           "the links"));
}

}  // namespace onehop
