#pragma once
#include <mpi.h>

#include <vector>

namespace onehop::mpi {

/// Ends a receive, whether or not its message ever comes, and frees it. Never throws. For a receive
/// under way, returns whether its message has come.
bool withdraw(MPI_Request& receive) noexcept;

/// Waits until the sends have left, which happens as long as the peer lives. Gives up after a while
/// if none leaves. Frees them. Never throws.
void finish_sends(std::vector<MPI_Request>& sends) noexcept;

/// A request_holder holds requests of MPI. Its destructor releases them. If the program calls
/// MPI_Finalize while a context is in use, MPI_Finalize releases them first.
class request_holder {
 public:
  request_holder(const request_holder&) = delete;
  request_holder& operator=(const request_holder&) = delete;

  virtual void give_back() noexcept = 0;

 protected:
  request_holder();
  ~request_holder();
};

/// Makes all holders give back their requests, the latest holder first.
void give_back_all() noexcept;

}  // namespace onehop::mpi
