// The kernels are built here with numbers that count their operations.
#define ONEHOP_APP_ISA tallied_isa
#include <particle_in_cell/cell_kernels.cpp>
#include <particle_in_cell/work.hpp>

#include <boost/test/unit_test.hpp>

using namespace particle_in_cell;

namespace {

/// Returns the operations of the kernel for one particle that stays in its cell, without square
/// roots.
long operations_of_push(int dimensions, int order, pusher how) {
  constexpr std::ptrdiff_t extent = 7;
  constexpr std::size_t points = extent * extent * extent;
  std::array<double, 3> offset{0.25, 0.25, dimensions == 3 ? 0.25 : 0.0}, u{1e-3, -1e-3, 1e-3};
  const std::array<std::size_t, 2> first{0, 1};
  const std::vector<double> field(points, 1e-3);
  std::vector<quanta> current(points);
  std::uint8_t to = 0;
  row_job job{};
  job.particles = {{&offset[0], &offset[1], &offset[2]}, {&u[0], &u[1], &u[2]}};
  job.first = first.data();
  job.cells = 1;
  job.stride_y = extent, job.stride_z = extent * extent;
  const std::ptrdiff_t middle = 3 * (1 + job.stride_y + job.stride_z);
  job.fields.fill(field.data() + middle);
  job.currents.fill(current.data() + middle);
  job.dt = 0.1, job.half_kick = -0.05, job.charge = 1000;
  job.to = &to;
  app_common::tallied_isa::operations = 0;
  tallied_isa::table().push(job, dimensions, order, how);
  BOOST_TEST(to == code_of_staying);
  return app_common::tallied_isa::operations;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_push_takes_as_many_operations_as_it_is_said_to_take) {
  for (const int dimensions : {2, 3})
    for (const int order : {1, 2})
      for (const pusher how : {pusher::boris, pusher::higuera_cary}) {
        const double roots = how == pusher::boris ? 2 : 3;
        const double counted = static_cast<double>(operations_of_push(dimensions, order, how));
        BOOST_TEST(counted + roots == push_flops(dimensions, order, how),
                   dimensions << " dimensions, order " << order << ": " << counted + roots
                              << " and " << push_flops(dimensions, order, how));
      }
}
