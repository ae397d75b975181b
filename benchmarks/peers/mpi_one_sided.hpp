#pragma once
/// This is the halo step by MPI_Put into a window of two banks, which are used alternately. The
/// exchange is symmetric, so that no rank writes step n + 2 before all have read step n.

#include <mpi.h>

#include <atomic>
#include <utility>

#include "benchmarks/peers/own_faces.hpp"

namespace onehop::bench {

class mpi_put : public own_faces {
 public:
  explicit mpi_put(const ring_faces& faces) : own_faces(faces) {
    const auto bytes = static_cast<MPI_Aint>(2 * area() + 2 * flag_stride);
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base_), &window_);
    std::memset(base_, 0, static_cast<std::size_t>(bytes));
    targets_.push_back(faces.after());
    if (faces.size > 2) targets_.push_back(faces.before());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~mpi_put() {
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
  }
  mpi_put(mpi_put&& other) noexcept
      : own_faces(std::move(other)),
        window_(std::exchange(other.window_, MPI_WIN_NULL)),
        base_(other.base_),
        targets_(std::move(other.targets_)),
        step_(other.step_) {}

  std::span<const std::byte> received(std::size_t f) const {
    return {base_ + bank() + offsets_[f], faces_.bytes[f]};
  }

 protected:
  static constexpr std::size_t flag_stride = 128;

  std::size_t bank() const { return step_ % 2 * area(); }
  void put_all() {
    ++step_;
    for (std::size_t f = 0; f < faces_.count(); ++f) {
      const auto bytes = static_cast<int>(faces_.bytes[f]);
      MPI_Put(sent_.at(offsets_[f]), bytes, MPI_BYTE, faces_.target(f),
              static_cast<MPI_Aint>(bank() + offsets_[f]), bytes, MPI_BYTE, window_);
    }
  }
  void flush_all() {
    for (const int target : targets_) MPI_Win_flush(target, window_);
  }

  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* base_ = nullptr;
  std::vector<int> targets_;  ///< every target, each once
  std::uint64_t step_ = 0;
};

class mpi_fence : public mpi_put {
 public:
  explicit mpi_fence(const ring_faces& faces) : mpi_put(faces) {
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window_);
  }
  ~mpi_fence() {
    if (window_ != MPI_WIN_NULL) MPI_Win_fence(MPI_MODE_NOSUCCEED, window_);
  }
  mpi_fence(mpi_fence&&) = default;

  std::string name() const { return "fence"; }
  void start() { put_all(); }
  void wait() { MPI_Win_fence(0, window_); }
};

class mpi_post_start : public mpi_put {
 public:
  explicit mpi_post_start(const ring_faces& faces) : mpi_put(faces) {
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, static_cast<int>(targets_.size()), targets_.data(), &neighbours_);
    MPI_Group_free(&all);
  }
  ~mpi_post_start() {
    if (neighbours_ != MPI_GROUP_NULL) MPI_Group_free(&neighbours_);
  }
  mpi_post_start(mpi_post_start&& other) noexcept
      : mpi_put(std::move(other)), neighbours_(std::exchange(other.neighbours_, MPI_GROUP_NULL)) {}

  std::string name() const { return "pscw"; }
  void start() {
    MPI_Win_post(neighbours_, 0, window_);
    MPI_Win_start(neighbours_, 0, window_);
    put_all();
  }
  void wait() {
    MPI_Win_complete(window_);
    MPI_Win_wait(window_);
  }

 private:
  MPI_Group neighbours_ = MPI_GROUP_NULL;
};

/// mpi_locked uses a passive target: one epoch from beginning to end.
class mpi_locked : public mpi_put {
 public:
  explicit mpi_locked(const ring_faces& faces) : mpi_put(faces) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  ~mpi_locked() {
    if (window_ != MPI_WIN_NULL) MPI_Win_unlock_all(window_);
  }
  mpi_locked(mpi_locked&&) = default;
};

class mpi_flush_barrier : public mpi_locked {
 public:
  using mpi_locked::mpi_locked;
  std::string name() const { return "flush-barrier"; }
  void start() {
    put_all();
    flush_all();
  }
  void wait() {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window_);
  }
};

/// mpi_flush_flag puts a flag for each neighbour after the bytes: flag 0 is raised by the previous
/// rank, flag 1 by the next one.
class mpi_flush_flag : public mpi_locked {
 public:
  using mpi_locked::mpi_locked;
  std::string name() const { return "flush-flag"; }

  void start() {
    put_all();
    flush_all();
    raise(0, faces_.after());
    if (faces_.size > 2) raise(1, faces_.before());
    flush_all();
  }
  void wait() {
    await(0);
    if (faces_.size > 2) await(1);
    MPI_Win_sync(window_);
  }

 private:
  std::size_t flag(std::size_t index) const { return 2 * area() + index * flag_stride; }
  void raise(std::size_t index, int rank) {
    MPI_Accumulate(&step_, 1, MPI_UINT64_T, rank, static_cast<MPI_Aint>(flag(index)), 1,
                   MPI_UINT64_T, MPI_REPLACE, window_);
  }
  void await(std::size_t index) const {
    const std::atomic_ref seen(*reinterpret_cast<std::uint64_t*>(base_ + flag(index)));
    for (unsigned look = 1; seen.load(std::memory_order_acquire) < step_; ++look)
      if (look % 16 == 0) let_mpi_work();
  }
  static void let_mpi_work() {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
};

}  // namespace onehop::bench
