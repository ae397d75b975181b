#include "solver/level.hpp"

namespace onehop {

int fields_of(solver_kind solver, bool hermitian) noexcept {
  switch (solver) {
    case solver_kind::bicgstab:
      return 4;
    case solver_kind::block_cg:
      return 6;
    case solver_kind::pipelined_cg:
      return 7;
    default:
      return hermitian ? 2 : 3;
  }
}

krylov_results solver_level::run(solver_kind solver, lane_field& x, lane_field& r,
                                 const krylov_limits& limits) {
  switch (solver) {
    case solver_kind::bicgstab:
      return bicgstab(op, algebra, x, r, limits);
    case solver_kind::block_cg:
      return block_cg(op, algebra, x, r, limits);
    case solver_kind::pipelined_cg:
      return pipelined_cg(op, algebra, x, r, limits);
    default:
      return conjugate_gradient(op, algebra, x, r, limits);
  }
}

}  // namespace onehop
