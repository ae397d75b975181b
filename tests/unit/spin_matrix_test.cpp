// Gamma matrices must have their algebra, whatever their basis.
#include <boost/test/unit_test.hpp>

#include "solver/spin_matrix.hpp"

using namespace onehop;

namespace {

bool same(const spin_matrix& a, const spin_matrix& b, double sign) {
  bool all = a.column == b.column;
  for (std::size_t row = 0; row < 4; ++row) all &= a.entry[row] == sign * b.entry[row];
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(gammas_anticommute_and_have_the_square_one) {
  for (std::size_t mu = 0; mu < 4; ++mu)
    for (std::size_t nu = 0; nu < 4; ++nu) {
      const spin_matrix product = gammas()[mu] * gammas()[nu];
      if (mu == nu)
        BOOST_TEST(same(product, spin_matrix(), 1));
      else
        BOOST_TEST(same(product, gammas()[nu] * gammas()[mu], -1));
    }
}

BOOST_AUTO_TEST_CASE(gamma5_is_the_product_of_all_and_each_is_hermitian) {
  BOOST_TEST(same(gammas()[0] * gammas()[1] * gammas()[2] * gammas()[3], gamma5(), 1));
  for (const spin_matrix& one : {gammas()[0], gammas()[1], gammas()[2], gammas()[3], gamma5()})
    for (std::size_t row = 0; row < 4; ++row) {
      const auto other = static_cast<std::size_t>(one.column[row]);
      BOOST_TEST(one.column[other] == static_cast<int>(row));
      BOOST_TEST(one.entry[other] == std::conj(one.entry[row]));
    }
}
