#pragma once
/// The kinds in a line of functions.txt determine a function's argument types in C and in Fortran.

#include <type_traits>

#include "mpi_fortran/arguments.hpp"

namespace onehop::mpi_fortran {

/// A passed<Kind> names the types that C takes and Fortran passes for one kind of argument.
template <class Kind>
struct passed;

#define ONEHOP_PASSED(kind, c, fortran) \
  template <>                           \
  struct passed<kind> {                 \
    using to_c = c;                     \
    using from_fortran = fortran;       \
  }
ONEHOP_PASSED(buffer, void*, void*);
ONEHOP_PASSED(detached, void*, void*);
ONEHOP_PASSED(weights, int*, int*);
ONEHOP_PASSED(status, MPI_Status*, int*);
ONEHOP_PASSED(attribute, void*, const MPI_Aint*);
ONEHOP_PASSED(index_out, int*, int*);
ONEHOP_PASSED(indices, int*, int*);
ONEHOP_PASSED(text, const char*, const char*);
ONEHOP_PASSED(text_out, char*, char*);
ONEHOP_PASSED(room, int*, int*);
ONEHOP_PASSED(types_of_ranks, const MPI_Datatype*, const int*);
ONEHOP_PASSED(types_of_targets, const MPI_Datatype*, const int*);
ONEHOP_PASSED(types_of_sources, const MPI_Datatype*, const int*);
#undef ONEHOP_PASSED

template <class T>
struct passed<value<T>> {
  using to_c = T;
  using from_fortran = const T*;
};
template <class T>
struct passed<place<T>> {
  using to_c = T*;
  using from_fortran = T*;
};
template <class Handle>
struct passed<handle_in<Handle>> {
  using to_c = Handle;
  using from_fortran = const int*;
};
template <class Handle>
struct passed<handle_out<Handle>> {
  using to_c = Handle*;
  using from_fortran = int*;
};
template <class Handle>
struct passed<handle_inout<Handle>> : passed<handle_out<Handle>> {};
template <class Handle, bool change>
struct passed<handle_array<Handle, change>> : passed<handle_out<Handle>> {};

template <class Kind>
using fortran = typename passed<Kind>::from_fortran;
template <class... Kinds>
using c_function = int(typename passed<Kinds>::to_c...);

}  // namespace onehop::mpi_fortran
