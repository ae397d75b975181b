! What mpif.h has, for programs that use modules. It has no interfaces: the functions take memory of any type.
module mpi
  include 'mpif.h'
end module
