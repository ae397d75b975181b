// The functions of the ABI that convert handles to integers, for Fortran, and back.

#include <map>
#include <mutex>

#include "mpi/abi.hpp"
#include "mpi/errors.hpp"

namespace onehop::mpi_abi {
namespace {

/// A predefined handle is its own integer. Other handles are numbered when they are first
/// converted.
class numbers {
 public:
  int number(void* handle) {
    if (is_fixed(handle)) return static_cast<int>(number_of(handle));
    const std::lock_guard guard(lock_);
    const auto [found, is_new] = by_handle_.try_emplace(handle, next_);
    if (is_new) by_number_[next_++] = handle;
    return found->second;
  }
  void* handle(int number) {
    if (number >= 0 && number < first) return fixed<void*>(static_cast<std::uintptr_t>(number));
    const std::lock_guard guard(lock_);
    const auto found = by_number_.find(number);
    return found == by_number_.end() ? nullptr : found->second;
  }

 private:
  static constexpr int first = 0x1000;
  std::mutex lock_;
  int next_ = first;
  std::map<void*, int> by_handle_;
  std::map<int, void*> by_number_;
};

numbers& all_numbers() {
  static numbers& all = *new numbers;
  return all;
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

#define ONEHOP_INTEGER(Kind, Name)                                                   \
  int MPI_##Name##_toint(MPI_##Kind handle) { return all_numbers().number(handle); } \
  MPI_##Kind MPI_##Name##_fromint(int number) {                                      \
    return static_cast<MPI_##Kind>(all_numbers().handle(number));                    \
  }

extern "C" {

ONEHOP_INTEGER(Comm, Comm)
ONEHOP_INTEGER(Datatype, Type)
ONEHOP_INTEGER(Errhandler, Errhandler)
ONEHOP_INTEGER(File, File)
ONEHOP_INTEGER(Group, Group)
ONEHOP_INTEGER(Info, Info)
ONEHOP_INTEGER(Message, Message)
ONEHOP_INTEGER(Op, Op)
ONEHOP_INTEGER(Request, Request)
ONEHOP_INTEGER(Session, Session)
ONEHOP_INTEGER(Win, Win)
}
