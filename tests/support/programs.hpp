#pragma once
/// Runs programs as the ranks of a job, started as the launcher starts them.

#include <fcntl.h>

#include "support/ranks.hpp"

namespace test {

/// Becomes the program `words[0]` as one rank of the job of `segment`. What it prints is thrown
/// away.
[[noreturn]] inline void become(std::vector<std::string> words, int segment, int rank, int ranks) {
  be_rank(segment, rank, ranks);
  fcntl(segment, F_SETFD, 0);
  dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(arguments.front(), arguments.data());
  throw std::runtime_error(words.front() + " cannot be started");
}

/// Runs a program as all ranks of a job and returns how each ended.
inline std::vector<rank_end> run_program(const std::vector<std::string>& words, int ranks) {
  const int segment = onehop::create_segment(ranks);
  std::vector<child_process> children;
  for (int rank = 0; rank < ranks; ++rank)
    children.emplace_back([&] { become(words, segment, rank, ranks); });
  std::vector<rank_end> ends;
  for (child_process& child : children) ends.push_back(child.wait());
  close(segment);
  return ends;
}

}  // namespace test
