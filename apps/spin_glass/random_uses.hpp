#pragma once
/// These are the uses of random numbers in this program.

#include <onehop/random.hpp>

namespace spin_glass {

constexpr onehop::random_use random_couplings = onehop::user_random(0),
                             random_start = onehop::user_random(1),
                             random_heatbath = onehop::user_random(2),
                             random_exchange = onehop::user_random(3);

}  // namespace spin_glass
