#pragma once
/// These are the uses of random numbers in this program.

#include <onehop/random.hpp>

namespace particle_in_cell {

constexpr onehop::random_use random_momenta = onehop::user_random(0),
                             random_places = onehop::user_random(1);

}  // namespace particle_in_cell
