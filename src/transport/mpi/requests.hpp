#pragma once
#include <mpi.h>

#include <vector>

namespace onehop::mpi {

/// Ends a receive, whether or not its message ever comes, and frees it. Never throws. Of a receive
/// under way it is true that the message has come.
bool withdraw(MPI_Request& receive) noexcept;

/// Waits until the sends have left, since a peer that lives takes them; gives up after a while when
/// none does. Frees them. Never throws.
void finish_sends(std::vector<MPI_Request>& sends) noexcept;

/// A request_holder holds requests of MPI. Its destructor gives them back, or MPI_Finalize does
/// before it goes on where the program calls that while a context is in use.
class request_holder {
 public:
  request_holder(const request_holder&) = delete;
  request_holder& operator=(const request_holder&) = delete;

  virtual void give_back() noexcept = 0;

 protected:
  request_holder();
  ~request_holder();
};

/// Has all holders give back their requests, the latest first.
void give_back_all() noexcept;

}  // namespace onehop::mpi
