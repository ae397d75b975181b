#pragma once
namespace onehop::mpi::tags {

constexpr int notice = 0;
constexpr int round = 1;
/// From this tag on, each chain has two tags.
constexpr int first_of_chains = 2;

}  // namespace onehop::mpi::tags
