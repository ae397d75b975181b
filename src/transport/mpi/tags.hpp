#pragma once
namespace onehop::mpi::tags {

constexpr int notice = 0;
constexpr int round = 1;
/// The chains have two tags each from here on.
constexpr int first_of_chains = 2;

}  // namespace onehop::mpi::tags
