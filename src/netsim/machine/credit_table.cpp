#include "netsim/machine/credit_table.hpp"

namespace onehop::netsim {

// Four bytes count picoseconds from now on; if they do not suffice, all credits take eight.
void credit_table::count_anew(picoseconds at, picoseconds now) {
  if (at - now >= taken_near) {
    far_.reserve(near_.size());
    for (const auto each : near_) far_.push_back(each == taken_near ? never : since_ + each);
    near_ = big_vector<std::uint32_t>();
    return;
  }
  const auto passed = now - since_;
  for (auto& each : near_)
    if (each != taken_near) each = each > passed ? static_cast<std::uint32_t>(each - passed) : 0;
  since_ = now;
}

}  // namespace onehop::netsim
