#pragma once
/// Fills a kernel_table with the kernels as `Launcher` runs them:
///
///     Launcher::run(stream&, kernel, count, rhs, partials)
///
/// runs kernel(site, n) for all sites and right-hand sides n. The table is filled in parts, so that
/// these can be compiled in parallel.

#include "dirac/device/algebra.hpp"
#include "dirac/device/bicgstab.hpp"
#include "dirac/device/hop.hpp"
#include "dirac/device/kernel_table.hpp"

namespace onehop::device {
namespace {

/// Returns the kernel's index in block_shapes; a constant.
template <class Kernel>
constexpr std::size_t shape_place() {
  if constexpr (requires { Kernel::shape; }) {
    return Kernel::shape;
  } else {
    return block_shapes::place(kernel_kind::vectors, field_precision::double_, 18);
  }
}

template <class Launcher, template <int> class Site, class Stored, extras Extras = extras::none>
void run_hop(stream& on, const hop_job& job, int recon) {
  switch (recon) {
    case 18:
      return Launcher::run(on, hop<Site, Stored, 18, Extras>{job}, job.count, job.rhs,
                           job.partials);
    case 12:
      return Launcher::run(on, hop<Site, Stored, 12, Extras>{job}, job.count, job.rhs,
                           job.partials);
    default:
      return Launcher::run(on, hop<Site, Stored, 8, Extras>{job}, job.count, job.rhs, job.partials);
  }
}

template <class Launcher, template <int> class Site, class Stored, int Direction = 0>
void run_pack(stream& on, const pack_job& job) {
  if (job.direction == Direction) {
    Launcher::run(on, pack_face<Site, Direction, Stored>{job}, job.count, job.rhs, nullptr);
  } else if constexpr (Direction < 7) {
    run_pack<Launcher, Site, Stored, Direction + 1>(on, job);
  }
}

/// Runs the kernel for 24 or for 6 reals per site.
template <class Launcher, template <class, int> class Kernel, class Stored, class Job>
void run_field(stream& on, const Job& job, int rhs, two_sums* partials) {
  if (job.components == 12) {
    Launcher::run(on, Kernel<Stored, 24>{job}, job.count, rhs, partials);
  } else {
    Launcher::run(on, Kernel<Stored, 6>{job}, job.count, rhs, partials);
  }
}

template <class Launcher, class Stored, class From>
void run_convert_from(stream& on, const convert_job& job) {
  if (job.components == 12) {
    Launcher::run(on, convert<Stored, From, 24>{job}, job.count, job.rhs, nullptr);
  } else {
    Launcher::run(on, convert<Stored, From, 6>{job}, job.count, job.rhs, nullptr);
  }
}

template <class Launcher, class Stored>
void run_convert(stream& on, const convert_job& job) {
  switch (job.from_kind) {
    case field_precision::double_:
      return run_convert_from<Launcher, Stored, double>(on, job);
    case field_precision::single:
      return run_convert_from<Launcher, Stored, float>(on, job);
    case field_precision::half:
      return run_convert_from<Launcher, Stored, std::int16_t>(on, job);
  }
}

template <class Launcher, class Stored>
void fill_wilson(kernel_table& table) {
  table.wilson_hop[false] = run_hop<Launcher, wilson_plain, Stored>;
  table.wilson_pack[false] = run_pack<Launcher, wilson_plain, Stored>;
}

template <class Launcher, class Stored>
void fill_wilson_dagger(kernel_table& table) {
  table.wilson_hop[true] = run_hop<Launcher, wilson_dagger, Stored>;
  table.wilson_pack[true] = run_pack<Launcher, wilson_dagger, Stored>;
}

template <class Launcher, class Stored>
void fill_factored(kernel_table& table) {
  table.factored_hop[false] = run_hop<Launcher, wilson_plain, Stored, extras::factors>;
  table.multiply = [](stream& on, const site_job& job) {
    Launcher::run(on, multiply<Stored>{job}, job.count, job.rhs, nullptr);
  };
}

template <class Launcher, class Stored>
void fill_factored_dagger(kernel_table& table) {
  table.factored_hop[true] = run_hop<Launcher, wilson_dagger, Stored, extras::factors>;
}

template <class Launcher, class Stored>
void fill_staggered(kernel_table& table) {
  table.far_hop = [](stream& on, const hop_job& job) {
    Launcher::run(on, hop<staggered_site, Stored, 18, extras::far_links>{job}, job.count, job.rhs,
                  job.partials);
  };
  table.staggered_hop = run_hop<Launcher, staggered_site, Stored>;
  table.staggered_pack = run_pack<Launcher, staggered_site, Stored>;
}

template <class Launcher, class Stored>
void fill_algebra(kernel_table& table) {
  table.combine = [](stream& on, const field_job& job) {
    run_field<Launcher, combine, Stored>(on, job, job.rhs, nullptr);
  };
  table.cg_update = [](stream& on, const field_job& job) {
    run_field<Launcher, cg_update, Stored>(on, job, job.rhs, job.partials);
  };
  table.norm_and_dot = [](stream& on, const field_job& job) {
    run_field<Launcher, norm_and_dot, Stored>(on, job, job.rhs, job.partials);
  };
  table.convert = run_convert<Launcher, Stored>;
  table.spread = [](stream& on, const canonical_job& job) {
    run_field<Launcher, spread, Stored>(on, job, 1, nullptr);
  };
  table.collect = [](stream& on, const canonical_job& job) {
    run_field<Launcher, collect, Stored>(on, job, 1, nullptr);
  };
  table.finish_sums = Launcher::finish_sums;
  table.cg_begin = [](stream& on, cg_state* states, int rhs) {
    Launcher::run(on, cg_begin{states}, rhs, 1, nullptr);
  };
  table.cg_end = [](stream& on, cg_state* states, int rhs) {
    Launcher::run(on, cg_end{states}, rhs, 1, nullptr);
  };
}

template <class Launcher, class Stored>
void fill_bicgstab(kernel_table& table) {
  table.complex_dot = [](stream& on, const field_job& job) {
    Launcher::run(on, complex_dot<Stored>{job}, job.count, job.rhs, job.partials);
  };
  table.bicgstab_half = [](stream& on, const bicgstab_job& job) {
    Launcher::run(on, bicgstab_half<Stored>{job}, job.count, job.rhs, job.partials);
  };
  table.bicgstab_step = [](stream& on, const bicgstab_job& job) {
    Launcher::run(on, bicgstab_step<Stored>{job}, job.count, job.rhs, job.partials);
  };
  table.bicgstab_begin = [](stream& on, bicgstab_state* states, int rhs) {
    Launcher::run(on, bicgstab_begin{states}, rhs, 1, nullptr);
  };
  table.bicgstab_middle = [](stream& on, bicgstab_state* states, int rhs) {
    Launcher::run(on, bicgstab_middle{states}, rhs, 1, nullptr);
  };
  table.bicgstab_end = [](stream& on, bicgstab_state* states, int rhs) {
    Launcher::run(on, bicgstab_end{states}, rhs, 1, nullptr);
  };
}

}  // namespace
}  // namespace onehop::device
