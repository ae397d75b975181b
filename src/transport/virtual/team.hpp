#pragma once
/// The ranks of a virtual machine that talk with each other, all of a job or a group of them: what
/// the conductor knows of their rounds and chains.

#include <map>
#include <memory>
#include <vector>

#include "transport/virtual/chain_side.hpp"
#include "transport/virtual/job.hpp"
#include "transport/virtual/rounds.hpp"

namespace onehop::virtual_machine {

/// Every rank of a job, in order.
std::vector<int> all_ranks(int count);

class team {
 public:
  /// Its rank r is rank `members[r]` of the job. The records of `table` must outlive it.
  team(job& shared, const round_table& table, std::vector<int> members);

  job& shared() const noexcept { return job_; }
  int member(int rank) const { return members_[static_cast<std::size_t>(rank)]; }
  int size() const noexcept { return static_cast<int>(members_.size()); }
  void wake(int rank) { job_.progress.wake(member(rank)); }

  /// Does what a rank requests of its chains and rounds; the record of a chain that is added lies
  /// at `record`.
  void carry_out(const request& what, std::byte* record);
  const chain_side& side(int rank, memory_id own) const { return chains_.at(own)->at(rank); }
  /// The rank has left, and nothing is written to its records any more. True for the last one.
  bool leave(int rank);
  bool has_left(int rank) const noexcept { return departed_[static_cast<std::size_t>(rank)] != 0; }

 private:
  void add_side(int rank, memory_id own, chain_record& record);
  /// A chain is gone once every rank has withdrawn its memory.
  void forget_side(int rank, memory_id own);

  job& job_;
  std::vector<int> members_;
  rounds talk_;
  std::map<memory_id, std::unique_ptr<chain_sides>> chains_;
  /// Chains that are gone while messages of them may be under way.
  std::vector<std::unique_ptr<chain_sides>> retired_;
  std::vector<char> departed_;
};

}  // namespace onehop::virtual_machine
