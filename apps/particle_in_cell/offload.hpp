#pragma once
/// An offload pushes particles that one rank stores on another rank, a chunk at a time, in rotating
/// buffers.

#include <onehop/context.hpp>
#include <onehop/kernel_cost.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace particle_in_cell {

/// A test particle has no charge of its own. Its place is in cells, and u = gamma v is in c.
struct test_particle {
  std::array<double, 3> place, u;

  bool operator==(const test_particle&) const = default;
};

/// Moves the particles by a step of `dt` in a uniform magnetic field along z, in which a particle
/// at rest turns by `turn`. It changes u by Boris's rotation (Proc. 4th Conf. Num. Sim. Plasmas
/// (1970) 3), then the place.
void push_in_uniform_field(std::span<test_particle> particles, double turn, double dt) noexcept;
/// Returns the work of such a step, as it is charged to a virtual machine: each particle is read
/// and written once.
onehop::kernel_cost cost_of_push(std::size_t particles) noexcept;
/// Returns the initial state of the particle with this number; |u| is below 2.
test_particle first_particle(std::uint64_t number) noexcept;

struct offload_options {
  std::size_t chunk = 1000000;  ///< number of particles that travel together
  int chunks = 6;               ///< number of chunks, a multiple of `buffers`
  int buffers = 3;              ///< number of chunks that the worker has room for
  int steps = 3;                ///< how many times each chunk is pushed
};

/// A push_time is the time of one push by the worker, by the clock of its context, relative to the
/// beginning of its first push.
struct push_time {
  double begin_us = 0, end_us = 0;
};

struct offload_report {
  double steady_ns = 0;  ///< for each particle, from the end of one push to the end of a later one
  double all_ns = 0;     ///< for each particle, from the first start to the last arrival
  std::uint64_t wrong = 0;          ///< particles that differ from those pushed without offload
  std::vector<push_time> pushes{};  ///< turn k pushes chunk k % chunks in buffer k % buffers
};

/// Rank 0 stores the particles and puts chunk after chunk into a free buffer of rank 1, the worker,
/// which pushes the chunk and puts it back. With three buffers, one chunk arrives and another one
/// leaves while a third is pushed. A buffer takes its next chunk when the previous one has left,
/// and a chunk is sent again when it has come back.
///
/// The steady time is that of the worker in the second half of all turns. Collective; the report is
/// the same on both ranks. Throws onehop::usage_error unless the job has two ranks, all options are
/// at least one, and the number of chunks is a multiple of the buffers; throws
/// onehop::resource_error if there is not enough memory for the particles.
offload_report offload(const onehop::context& job, const offload_options& how);

}  // namespace particle_in_cell
