#pragma once
/// Every rank of a peer program serves: it waits, without using its core, for requests of rank r of
/// onehop bench to make and to time contenders.
///
///     methods halo                  ->  persistent fence ...
///     make halo persistent 96 96    ->  ok
///     time 0 1000                   ->  530.25 0       us of all steps, times the core was lost
///     check 0 16                    ->  ok
///     wrong 0                       ->  0              bytes
///     drop                          ->  ok             forgets all contenders

#include <sched.h>

#include <cstdlib>
#include <sstream>

#include "benchmarks/line_socket.hpp"
#include "benchmarks/peers/workshop.hpp"
#include "benchmarks/timed_block.hpp"

namespace onehop::bench {

/// Pins the rank to core `list[rank]` of a list such as "0,1", which repeats; an empty list pins no
/// rank.
inline void pin(const std::string& list, int rank) {
  std::vector<int> cores;
  std::istringstream words(list);
  for (std::string core; std::getline(words, core, ',');) cores.push_back(std::stoi(core));
  if (cores.empty()) return;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(static_cast<std::size_t>(cores[static_cast<std::size_t>(rank) % cores.size()]), &mask);
  sched_setaffinity(0, sizeof mask, &mask);
}

class server {
 public:
  server(const workshop& shop, int rank, int size, std::function<void()> barrier)
      : shop_(shop), rank_(rank), size_(size), barrier_(std::move(barrier)) {}

  /// Serves until the other side disconnects. Returns false if it never connected.
  bool serve(const std::string& folder) {
    constexpr int patience_s = 60;
    line_socket caller = line_socket::accept_one(folder + "/" + std::to_string(rank_), patience_s);
    std::string line;
    while (caller && caller.read(line, -1))
      if (!caller.write(answer(line))) break;
    made_.clear();
    return static_cast<bool>(caller);
  }

 private:
  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "methods") return list(words);
    if (verb == "make") return make(words);
    if (verb == "drop") {
      // Contenders are destroyed in the order in which they were made, as windows and communicators
      // require.
      for (auto& one : made_) one.reset();
      made_.clear();
      return "ok";
    }
    std::size_t index = 0;
    std::uint64_t steps = 0;
    words >> index >> steps;
    if (index >= made_.size()) return "unknown";
    contender& who = *made_[index];
    if (verb == "wrong") return std::to_string(who.wrong());
    barrier_();
    std::string reply = "ok";
    if (verb == "time")
      reply = time(who, steps);
    else
      who.run_checked(steps);
    // Other ranks may need this rank's help to finish, so it must not fall asleep before them.
    barrier_();
    return reply;
  }

  std::string list(std::istringstream& words) const {
    std::string pattern;
    words >> pattern;
    return shop_.methods(pattern);
  }
  std::string make(std::istringstream& words) {
    std::string pattern, method;
    words >> pattern >> method;
    ring_faces faces{rank_, size_, {}};
    for (std::size_t bytes = 0; words >> bytes;) faces.bytes.push_back(bytes);
    auto one = shop_.make(pattern, method, faces);
    if (!one) return "unknown";
    made_.push_back(std::move(one));
    return "ok";
  }
  static std::string time(contender& who, std::uint64_t steps) {
    const timed_block block = time_block(who, steps);
    std::ostringstream reply;
    reply.precision(10);
    reply << block.us << ' ' << block.disturbances;
    return reply.str();
  }

  const workshop& shop_;
  int rank_, size_;
  std::function<void()> barrier_;
  std::vector<std::unique_ptr<contender>> made_;
};

}  // namespace onehop::bench
