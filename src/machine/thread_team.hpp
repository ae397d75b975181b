#pragma once
/// A thread_team is the set of threads that share one rank's work.

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace onehop {

/// A thread_team starts its threads once and gives them one piece of work after another. It does
/// not use OpenMP threads, because many ranks may live in one process, each with its team; because
/// a team of one must cost nothing, not even a library to load; and because waiting ranks and
/// threads that outnumber the cores must not keep each other from running.
///
/// Between two pieces of work a thread looks for the next one for some microseconds, then sleeps.
class thread_team {
 public:
  /// The team is this thread and `threads` - 1 others. The constructor throws resource_error if the
  /// system cannot create them.
  explicit thread_team(int threads);
  ~thread_team();
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;

  int threads() const noexcept { return static_cast<int>(workers_.size()) + 1; }

  /// Calls work(k) on every thread k = 0 .. threads() - 1, where 0 is the caller; returns when all
  /// have finished. The work must not throw.
  template <class Work>
  void run(const Work& work) {
    if (workers_.empty()) {
      work(0);
    } else {
      run_on_all([](const void* what, int thread) { (*static_cast<const Work*>(what))(thread); },
                 &work);
    }
  }

  /// The sizes of pieces 0 .. count - 1 differ by at most one.
  struct piece {
    std::size_t begin, end;
  };
  piece share(std::size_t count, int thread) const noexcept {
    const auto cut = [&](int k) { return count * k / static_cast<std::size_t>(threads()); };
    return {cut(thread), cut(thread + 1)};
  }

 private:
  using call = void (*)(const void*, int);
  void run_on_all(call function, const void* work);
  void live(int thread);
  void stop() noexcept;

  call function_ = nullptr;
  const void* work_ = nullptr;
  bool ending_ = false;
  alignas(64) std::atomic<std::uint32_t> round_{0};
  alignas(64) std::atomic<std::uint32_t> busy_{0};
  std::vector<std::thread> workers_;
};

}  // namespace onehop
