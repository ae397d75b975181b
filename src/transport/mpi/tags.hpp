#pragma once
namespace onehop::mpi::tags {

constexpr int notice = 0;
constexpr int round = 1;
/// Chains have two tags each; this is the first tag of the first chain.
constexpr int first_of_chains = 2;

}  // namespace onehop::mpi::tags
