#include "offload.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/put_chain.hpp>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace particle_in_cell {
namespace {

constexpr int keeper = 0, worker = 1;
/// The values of field and step do not affect what is measured; an orbit takes 63 steps.
constexpr double turn = 0.1, dt = 0.5;

using time_point = std::chrono::steady_clock::time_point;

double ns_between(time_point begin, time_point end) {
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

const offload_options& checked(const onehop::context& job, const offload_options& how) {
  if (job.size() != 2)
    throw onehop::usage_error(
        "an offload takes two ranks, one that keeps the particles and a worker; "
        "this job has " +
        std::to_string(job.size()));
  if (how.chunk < 1 || how.chunks < 1 || how.buffers < 1 || how.steps < 1)
    throw onehop::usage_error(
        "an offload without particles, chunks, buffers or steps; give one or more of each");
  if (how.chunks % how.buffers != 0)
    throw onehop::usage_error(std::to_string(how.chunks) + " chunks on " +
                              std::to_string(how.buffers) +
                              " buffers; give a multiple, so that a chunk has the same buffer in "
                              "every step");
  return how;
}

/// These are the two sides of an offload. Chunk c uses buffer c % buffers. Each chunk has a put
/// chain in each direction, on windows of one bank, so that a put leaves only when its target has
/// started the exchange. In this way the worker announces that a buffer is free.
class rotation {
 public:
  rotation(const onehop::context& job, const offload_options& how)
      : job_(job),
        how_(checked(job, how)),
        turns_(how.chunks * how.steps),
        memory_(onehop::window::allocate(
            job, bytes() * places(job.rank() == keeper ? how.chunks : how.buffers), 1)),
        pushes_(places(turns_)) {
    for (int chunk = 0; chunk < how_.chunks; ++chunk) {
      there_.push_back(chain(keeper, place_of(chunk), place_of(chunk % how_.buffers)));
      back_.push_back(chain(worker, place_of(chunk % how_.buffers), place_of(chunk)));
    }
  }

  offload_report run() {
    if (job_.rank() == keeper) fill();
    onehop::barrier(job_);
    std::array<double, 3> found{};
    if (job_.rank() == keeper)
      found = {0, keep(), 0};
    else
      found = {work(), 0, 0};
    if (job_.rank() == keeper) found[2] = static_cast<double>(wrong());
    onehop::allreduce_max(job_, found);
    onehop::broadcast(job_, std::as_writable_bytes(std::span(pushes_)), worker);
    return {found[0], found[1], static_cast<std::uint64_t>(found[2]), pushes_};
  }

 private:
  std::size_t bytes() const { return how_.chunk * sizeof(test_particle); }
  static std::size_t places(int count) { return static_cast<std::size_t>(count); }
  std::size_t place_of(int number) const { return places(number) * bytes(); }
  onehop::put_chain& there(int turn_number) { return there_[places(turn_number % how_.chunks)]; }
  onehop::put_chain& back(int turn_number) { return back_[places(turn_number % how_.chunks)]; }

  onehop::put_chain chain(int origin, std::size_t from, std::size_t to) {
    onehop::put_chain made(job_, memory_);
    if (job_.rank() == origin)
      made.push({.source = onehop::local_view::contiguous(memory_.local().subspan(from, bytes())),
                 .target = 1 - origin,
                 .remote_offset = to});
    else
      made.add_origin(origin);
    made.commit();
    return made;
  }

  std::span<test_particle> particles_at(std::size_t begin) const {
    return {reinterpret_cast<test_particle*>(memory_.local().data() + begin), how_.chunk};
  }

  void fill() {
    std::uint64_t number = 0;
    for (int chunk = 0; chunk < how_.chunks; ++chunk)
      for (test_particle& each : particles_at(place_of(chunk))) each = first_particle(number++);
  }

  std::uint64_t wrong() const {
    std::uint64_t number = 0, count = 0;
    for (int chunk = 0; chunk < how_.chunks; ++chunk)
      for (const test_particle& each : particles_at(place_of(chunk))) {
        test_particle right = first_particle(number++);
        for (int step = 0; step < how_.steps; ++step) push_in_uniform_field({&right, 1}, turn, dt);
        count += right != each;
      }
    return count;
  }

  /// Returns ns for each particle from the first start to the last arrival.
  double keep() {
    const time_point begin = job_.now();
    for (int now = 0; now < turns_; ++now) {
      if (now >= how_.chunks) back(now).wait();
      there(now).start();
      // The chunk returns to the memory that it was sent from, which may be overwritten from this
      // start on.
      there(now).wait();
      back(now).start();
    }
    for (int now = turns_; now < turns_ + how_.chunks; ++now) back(now).wait();
    return ns_between(begin, job_.now()) / pushes(turns_);
  }

  /// Returns ns for each particle in the steady state.
  double work() {
    // A chunk that leaves while the next one is pushed is waited for after that push. With a single
    // buffer the wait cannot be postponed.
    const int behind = how_.buffers > 1 ? 1 : 0;
    const int first = turns_ / 2;
    time_point begin, end, first_begin;
    for (int now = 0; now < how_.buffers; ++now) there(now).start();
    for (int now = 0; now < turns_; ++now) {
      there(now).wait();
      const time_point push_begin = job_.now();
      if (now == 0) first_begin = push_begin;
      push_in_uniform_field(particles_at(place_of(now % how_.buffers)), turn, dt);
      job_.work(cost_of_push(how_.chunk));
      end = job_.now();
      pushes_[places(now)] = {1e-3 * ns_between(first_begin, push_begin),
                              1e-3 * ns_between(first_begin, end)};
      if (now <= first) begin = end;
      back(now).start();
      if (now >= behind) free_buffer_of(now - behind);
    }
    if (behind != 0) free_buffer_of(turns_ - 1);
    return turns_ - 1 > first ? ns_between(begin, end) / pushes(turns_ - 1 - first) : 0;
  }
  void free_buffer_of(int turn_number) {
    back(turn_number).wait();
    if (turn_number + how_.buffers < turns_) there(turn_number + how_.buffers).start();
  }
  double pushes(int turns) const { return static_cast<double>(how_.chunk) * turns; }

  onehop::context job_;
  offload_options how_;
  int turns_;
  onehop::window memory_;
  std::vector<onehop::put_chain> there_, back_;
  std::vector<push_time> pushes_;
};

}  // namespace

offload_report offload(const onehop::context& job, const offload_options& how) {
  return rotation(job, how).run();
}

void push_in_uniform_field(std::span<test_particle> particles, double turn_at_rest,
                           double step) noexcept {
  const double half = turn_at_rest / 2;
  for (test_particle& each : particles) {
    auto& [x, y, z] = each.u;
    const double t = half / std::sqrt(1 + x * x + y * y + z * z), s = 2 * t / (1 + t * t);
    const double across = x + y * t;
    y -= across * s;
    x = across + y * t;
    const double per_u = step / std::sqrt(1 + x * x + y * y + z * z);
    for (std::size_t mu = 0; mu < 3; ++mu) each.place[mu] += each.u[mu] * per_u;
  }
}

onehop::kernel_cost cost_of_push(std::size_t particles) noexcept {
  const auto count = static_cast<double>(particles);
  return {.flops = 32 * count, .bytes = 2 * sizeof(test_particle) * count};
}

test_particle first_particle(std::uint64_t number) noexcept {
  // Multiples of irrational numbers, here of roots of the plastic number, fill a cube evenly.
  constexpr std::array roots{0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
  test_particle made;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const double along = static_cast<double>(number) * roots[mu];
    made.place[mu] = along;
    made.u[mu] = 2 * (along - std::floor(along)) - 1;
  }
  return made;
}

}  // namespace particle_in_cell
