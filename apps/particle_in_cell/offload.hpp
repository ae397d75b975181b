#pragma once
/// An offload has particles in the memory of one rank pushed by another, a chunk at a time, in
/// buffers that rotate.

#include <onehop/context.hpp>
#include <onehop/kernel_cost.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace particle_in_cell {

/// A test particle has no charge of its own. Its place is in cells and u = gamma v in c.
struct test_particle {
  std::array<double, 3> place, u;

  bool operator==(const test_particle&) const = default;
};

/// Moves the particles by a step of `dt` in a uniform magnetic field along z that turns one at rest
/// by `turn` in it: u by Boris's rotation (Proc. 4th Conf. Num. Sim. Plasmas (1970) 3), then the
/// place.
void push_in_uniform_field(std::span<test_particle> particles, double turn, double dt) noexcept;
/// Returns the work of such a step, as it is charged to a virtual machine: each particle is read
/// and written once.
onehop::kernel_cost cost_of_push(std::size_t particles) noexcept;
/// Returns where the particle of this number is at first; |u| is below 2.
test_particle first_particle(std::uint64_t number) noexcept;

struct offload_options {
  std::size_t chunk = 1000000;  ///< number of particles that travel together
  int chunks = 6;               ///< number of chunks, a multiple of `buffers`
  int buffers = 3;              ///< number of chunks that the worker has room for
  int steps = 3;                ///< how many times each chunk is pushed
};

/// A push_time says when the worker pushed a chunk, by the clock of its context from the beginning
/// of its first push on.
struct push_time {
  double begin_us = 0, end_us = 0;
};

struct offload_report {
  double steady_ns = 0;     ///< for each particle, from the end of one push to that of a later one
  double all_ns = 0;        ///< for each particle, from the first start to the last arrival
  std::uint64_t wrong = 0;  ///< particles that are not where the same pushes in place bring them
  std::vector<push_time> pushes{};  ///< turn k pushes chunk k % chunks in buffer k % buffers
};

/// Rank 0 keeps the particles and puts chunk after chunk into a free buffer of rank 1, the worker,
/// which pushes it there and puts it back. With three buffers a chunk comes and another one leaves
/// while a third is pushed. A buffer takes its next chunk when the one before it has left, and a
/// chunk goes out again when it has come back.
///
/// The steady time is that of the worker in the second half of all turns. Collective; the report
/// is the same on both ranks. Throws onehop::usage_error unless the job has two ranks and there are
/// one or more of everything, and chunks a multiple of the buffers; onehop::resource_error for more
/// particles than there is memory for.
offload_report offload(const onehop::context& job, const offload_options& how);

}  // namespace particle_in_cell
