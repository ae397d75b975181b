#include "solver/rhs_matrix.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "support/difference.hpp"

using namespace onehop;

namespace {

/// Returns numbers that have nothing to do with each other.
rhs_matrix scattered(int rows, int columns) {
  rhs_matrix result(rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      result(i, j) = {std::sin(7.0 * (i + 1) * (j + 2)),
                      std::cos(5.0 * (i + 2) * (j + 1) * (j + 1))};
    }
  }
  return result;
}

double largest_difference(const rhs_matrix& a, const rhs_matrix& b) {
  BOOST_TEST_REQUIRE((a.rows() == b.rows() && a.columns() == b.columns()));
  double largest = 0;
  for (int i = 0; i < a.rows(); ++i) {
    for (int j = 0; j < a.columns(); ++j)
      largest = tests::larger(largest, std::abs(a(i, j) - b(i, j)));
  }
  return largest;
}

rhs_matrix identity(int size) {
  rhs_matrix result(size, size);
  for (int k = 0; k < size; ++k) result(k, k) = 1;
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(orthonormal_columns_are_made_and_taken_back) {
  const rhs_matrix y = scattered(30, 7);
  const orthonormalisation found = orthonormalise(y.adjoint() * y, 1e-7);
  const rhs_matrix q = y * found.make;
  BOOST_TEST(found.rank() == 7);
  BOOST_TEST(largest_difference(q.adjoint() * q, identity(7)) < 1e-12);
  BOOST_TEST(largest_difference(q * found.back, y) < 1e-12);
}

BOOST_AUTO_TEST_CASE(dependent_columns_are_left_out_and_taken_back) {
  const rhs_matrix base = scattered(30, 4);
  const rhs_matrix y = base * scattered(4, 9);
  const orthonormalisation found = orthonormalise(y.adjoint() * y, 1e-7);
  const rhs_matrix q = y * found.make;
  BOOST_TEST(found.rank() == 4);
  BOOST_TEST(largest_difference(q.adjoint() * q, identity(4)) < 1e-10);
  BOOST_TEST(largest_difference(q * found.back, y) < 1e-10);
}

BOOST_AUTO_TEST_CASE(the_size_of_a_column_says_nothing_about_its_rank) {
  rhs_matrix y = scattered(30, 3);
  for (int i = 0; i < 30; ++i) {
    y(i, 1) *= 1e-12;
    y(i, 2) = 0;
  }
  const orthonormalisation found = orthonormalise(y.adjoint() * y, 1e-7);
  BOOST_TEST(found.rank() == 2);
  BOOST_TEST(largest_difference(y * found.make * found.back, y) < 1e-13);
  BOOST_TEST(orthonormalise(rhs_matrix(3, 3), 1e-7).rank() == 0);
}

BOOST_AUTO_TEST_CASE(the_least_part_tells_how_nearly_dependent_columns_are) {
  rhs_matrix y = scattered(30, 2);
  for (int i = 0; i < 30; ++i) y(i, 1) = y(i, 0) + 1e-4 * y(i, 1);
  const double part = orthonormalise(y.adjoint() * y, 1e-7).least_part;
  BOOST_TEST(part < 2e-4);
  BOOST_TEST(part > 1e-5);
  BOOST_TEST(orthonormalise(y.adjoint() * y, 1e-3).rank() == 1);
}
