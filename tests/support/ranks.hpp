#pragma once
/// Runs a body as the ranks of a job, on threads or as processes, and tells what became of each.
///
/// Boost's assertions are not safe in ranks: throw there, with expect, and assert outside.

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <onehop/adversary.hpp>
#include <onehop/context.hpp>
#include <onehop/idle.hpp>
#include <onehop/launch.hpp>
#include <source_location>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

#include "support/seeds.hpp"
#include "support/small_machine.hpp"
#include "transport/base/transport.hpp"
#include "transport/virtual/processes/run.hpp"

namespace test {

inline void expect(bool condition, const std::string& what = {},
                   std::source_location where = std::source_location::current()) {
  if (!condition)
    throw std::logic_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                           ": not as expected: " + what);
}

/// Runs `call` and returns the message of the Error it must throw, of exactly that class.
template <class Error>
std::string message_of(const std::function<void()>& call,
                       std::source_location where = std::source_location::current()) {
  try {
    call();
  } catch (const std::exception& thrown) {
    expect(typeid(thrown) == typeid(Error), std::string("another error: ") + thrown.what(), where);
    const std::string message = thrown.what();
    expect(message.find('\n') == std::string::npos, "one line: " + message, where);
    return message;
  }
  expect(false, "no error", where);
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

using clock = std::chrono::steady_clock;
inline double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

/// Returns the seconds since `begin` in the time of the job's transport, which may be virtual.
inline double seconds_since(const onehop::context& ctx, clock::time_point begin) {
  return std::chrono::duration<double>(clock_of(ctx).now() - begin).count();
}
/// Does nothing for a while, in the time of the job's transport.
inline void doze(const onehop::context& ctx, std::chrono::nanoseconds time) {
  constexpr int sleepy_turn = 1 << 20;
  const auto until = clock_of(ctx).now() + time;
  while (!clock_of(ctx).idle(sleepy_turn, until)) {
  }
}

/// Looks again and again until `look` is true. A virtual machine skips the time in which nothing
/// comes; else each look there is a hand-over between ranks.
template <class Look>
void look_until(const onehop::context& ctx, const Look& look) {
  for (int turn = 0; !look(); ++turn)
    onehop::idle(ctx, turn, clock_of(ctx).now() + std::chrono::milliseconds(1));
}

using rank_body = std::function<void(onehop::context)>;

/// A rank_end says how one rank's process ended.
struct rank_end {
  int signal = 0;       ///< signal that killed it, or 0
  std::string message;  ///< message of the exception that ended its body; empty for none
  bool good() const { return signal == 0 && message.empty(); }
};

/// A child_process is a forked process whose body's exception comes back through a pipe.
class child_process {
 public:
  explicit child_process(const std::function<void()>& body) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    std::cout.flush();
    std::cerr.flush();
    number_ = fork();
    if (number_ < 0) throw std::runtime_error("fork failed");
    if (number_ == 0) {
      close(ends[0]);
      run(body, ends[1]);
    }
    close(ends[1]);
    report_ = ends[0];
  }
  child_process(child_process&& other) noexcept
      : number_(std::exchange(other.number_, -1)), report_(std::exchange(other.report_, -1)) {}
  ~child_process() {
    if (number_ < 0) return;
    kill(number_, SIGKILL);
    waitpid(number_, nullptr, 0);
    close(report_);
  }

  pid_t number() const { return number_; }
  rank_end wait() {
    rank_end end;
    char piece[512];
    for (ssize_t got; (got = read(report_, piece, sizeof piece)) > 0;)
      end.message.append(piece, static_cast<std::size_t>(got));
    int status = 0;
    waitpid(number_, &status, 0);
    close(report_);
    number_ = -1;
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && end.message.empty())
      end.message = "exit code " + std::to_string(WEXITSTATUS(status));
    return end;
  }

 private:
  [[noreturn]] static void run(const std::function<void()>& body, int report) {
    std::string message;
    try {
      body();
    } catch (const std::exception& thrown) {
      message = thrown.what();
      if (message.empty()) message = "an exception without a message";
    }
    if (write(report, message.data(), message.size()) < 0) _exit(3);
    _exit(message.empty() ? 0 : 1);
  }

  pid_t number_ = -1;
  int report_ = -1;
};

/// Tells this process who it is, as the launcher tells a rank.
inline void be_rank(int segment, int rank, int ranks) {
  setenv("ONEHOP_RANK", std::to_string(rank).c_str(), 1);
  setenv("ONEHOP_SIZE", std::to_string(ranks).c_str(), 1);
  setenv("ONEHOP_SEGMENT_FD", std::to_string(segment).c_str(), 1);
}

/// Joins the job of `segment` as `rank`, as a program started by the launcher does.
inline onehop::context join_as(int segment, int rank, int ranks) {
  be_rank(segment, rank, ranks);
  return onehop::join();
}

/// Joins and runs the body; an exception of the body abandons the others.
inline void join_and_play(int segment, int rank, int ranks, const rank_body& body) {
  const onehop::context ctx = join_as(segment, rank, ranks);
  try {
    body(ctx);
  } catch (const std::exception& thrown) {
    ctx.abandon(thrown.what());
    throw;
  }
}

/// Runs ranks as processes over one segment; the exception of a rank abandons the others.
inline std::vector<rank_end> run_in_processes(int ranks, const rank_body& body) {
  const int segment = onehop::create_segment(ranks);
  std::vector<child_process> children;
  for (int rank = 0; rank < ranks; ++rank)
    children.emplace_back([&] { join_and_play(segment, rank, ranks, body); });
  std::vector<rank_end> ends;
  for (child_process& child : children) ends.push_back(child.wait());
  close(segment);
  return ends;
}

/// Runs ranks as processes on a virtual machine, whose conductor is a thread of this process.
inline std::vector<rank_end> run_under_conductor(
    int ranks, const onehop::virtual_machine::machine& on, const rank_body& body,
    const onehop::virtual_machine::computing& how = {}) {
  onehop::virtual_machine::process_conductor conductor(ranks, on, how);
  std::vector<child_process> children;
  for (int rank = 0; rank < ranks; ++rank)
    children.emplace_back([&] { join_and_play(conductor.segment(), rank, ranks, body); });
  std::jthread serving([&] { conductor.run(); });
  std::vector<rank_end> ends;
  for (int rank = 0; rank < ranks; ++rank) {
    ends.push_back(children[static_cast<std::size_t>(rank)].wait());
    conductor.ended(rank);
  }
  return ends;
}

/// Divides the ranks among `groups` groups, in turns and numbered backwards.
inline onehop::context group_of(const onehop::context& all, int groups) {
  return all.split(all.rank() % groups, -all.rank()).value();
}

/// How the job of the MPI launcher is joined; a program that has MPI itself joins a communicator.
inline onehop::context (*join_launched)(std::string_view transport) = onehop::join;

/// The job of the MPI launcher that started this process, over the transport that
/// CONFORMANCE_TRANSPORT names, or one of as many groups of it as CONFORMANCE_GROUPS says; null in
/// an ordinary run of the test.
inline const onehop::context* launched_job() {
  static const char* transport = std::getenv("CONFORMANCE_TRANSPORT");
  if (transport == nullptr) return nullptr;
  static const char* groups = std::getenv("CONFORMANCE_GROUPS");
  static const onehop::context joined = join_launched(transport);
  static const onehop::context mine =
      groups == nullptr ? joined : group_of(joined, std::stoi(groups));
  return &mine;
}

/// A job is a transport with a number of ranks, to instantiate a property on.
struct job {
  /// The ranks of a launched job go through the test program side by side.
  enum kind {
    self,
    threads,
    processes,
    adversary,
    virtual_put,
    virtual_mpi,
    conductor_put,
    conductor_mpi,
    launched
  };
  kind how;
  int ranks;
  int groups = 1;  ///< number of groups of `ranks` ranks each, which run at the same time

  bool on_a_virtual_machine() const {
    return how == virtual_put || how == virtual_mpi || how == conductor_put || how == conductor_mpi;
  }

  /// Throws with the first failing rank's message. The adversary runs `body` under several seeds.
  void run(const rank_body& body) const {
    if (groups == 1 || how == launched) return run_all(ranks, body);
    run_all(ranks * groups, [&](const onehop::context& all) { body(group_of(all, groups)); });
  }

 private:
  void run_all(int count, const rank_body& body) const {
    if (how == adversary)
      return for_each_seed(
          4, [&](std::uint64_t seed) { onehop::run_with_adversary(count, seed, body); });
    if (how == virtual_put) return onehop::virtual_machine::run(count, small_machine("put"), body);
    if (how == virtual_mpi) return onehop::virtual_machine::run(count, small_machine("mpi"), body);
    if (how == self) return body(onehop::join("self"));
    if (how == launched) return run_launched(body);
    if (how == threads) return onehop::run_on_threads(count, body);
    const std::vector<rank_end> ends =
        how == processes
            ? run_in_processes(count, body)
            : run_under_conductor(count, small_machine(how == conductor_put ? "put" : "mpi"), body);
    for (std::size_t rank = 0; rank < ends.size(); ++rank)
      if (!ends[rank].good())
        throw std::runtime_error("rank " + std::to_string(rank) + ": signal " +
                                 std::to_string(ends[rank].signal) + " " + ends[rank].message);
  }

  /// A rank that fails ends the whole program: the others would wait for it in the next test.
  static void run_launched(const rank_body& body) {
    try {
      body(*launched_job());
    } catch (const std::exception& thrown) {
      launched_job()->abandon(thrown.what());
      if (launched_job()->failed_first())
        std::cerr << "a rank failed: " << thrown.what() << std::endl;
      _exit(1);
    }
  }
};

inline std::ostream& operator<<(std::ostream& out, const job& where) {
  if (where.how == job::launched) return out << launched_job()->transport() << '_' << where.ranks;
  static constexpr const char* names[] = {"self",          "shm_threads",  "shm_processes",
                                          "adversary",     "virtual_put",  "virtual_mpi",
                                          "conductor_put", "conductor_mpi"};
  if (where.groups > 1) out << where.groups << "_groups_of_";
  return out << names[where.how] << '_' << where.ranks;
}

/// Returns the jobs that this build can run. ThreadSanitizer sees the races of one process, and its
/// shadows soon leave no room for a fork.
inline std::vector<job> runnable(std::vector<job> jobs) {
#if defined(__SANITIZE_THREAD__)
  std::erase_if(jobs, [](const job& one) {
    return one.how == job::processes || one.how == job::conductor_put ||
           one.how == job::conductor_mpi;
  });
#endif
  return jobs;
}

/// Every transport, with few and with more ranks than small machines have cores, and groups of each
/// kind; in a launched job that job alone.
inline const std::vector<job>& every_job() {
  static const std::vector<job> launched =
      launched_job() ? std::vector<job>{{job::launched, launched_job()->size()}}
                     : std::vector<job>{};
  static const std::vector<job> jobs =
      runnable({{job::self, 1},           {job::threads, 1},         {job::threads, 2},
                {job::threads, 4},        {job::processes, 1},       {job::processes, 2},
                {job::processes, 3},      {job::processes, 4},       {job::adversary, 1},
                {job::adversary, 2},      {job::adversary, 3},       {job::adversary, 4},
                {job::virtual_put, 1},    {job::virtual_put, 2},     {job::virtual_put, 4},
                {job::virtual_mpi, 3},    {job::conductor_put, 1},   {job::conductor_put, 2},
                {job::conductor_put, 4},  {job::conductor_mpi, 3},   {job::threads, 2, 2},
                {job::processes, 2, 2},   {job::processes, 3, 2},    {job::adversary, 2, 2},
                {job::virtual_put, 2, 2}, {job::conductor_put, 2, 2}});
  return launched.empty() ? jobs : launched;
}

}  // namespace test
