#pragma once
/// All exceptions of onehop derive from one base class. Every message says what is wrong, where,
/// with which values, and what to do about it.

#include <onehop/detail/language.hpp>

#include <stdexcept>
#include <string>

namespace onehop {

/// error is the base class of everything that onehop throws.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// usage_error means that the caller asked for something that makes no sense, such as a grid that
/// does not divide the lattice, an unknown name, or a call out of order.
class usage_error : public error {
 public:
  using error::error;
};

/// file_error means that a file is missing, cannot be read or written, is truncated, or does not
/// hold what its header says.
class file_error : public error {
 public:
  using error::error;
};

/// checksum_error means that the bytes of a file do not give the checksum that its header or
/// trailer states.
class checksum_error : public file_error {
 public:
  using file_error::file_error;
};

/// chain_error means that the ranks disagree about a put chain. The message names both sides.
class chain_error : public usage_error {
 public:
  using usage_error::usage_error;
};

/// peer_error means that another rank failed or died.
class peer_error : public error {
 public:
  using error::error;
};

/// timeout_error means that a wait reached its deadline. The message says which rank waits for
/// which.
class timeout_error : public error {
 public:
  using error::error;
};

/// resource_error means that the machine lacks something, such as shared memory, address space or a
/// free file descriptor.
class resource_error : public error {
 public:
  using error::error;
};

/// numeric_error means that numbers are wrong, for example because a link is not a number or
/// because the iterated and the true residual disagree.
class numeric_error : public error {
 public:
  using error::error;
};

}  // namespace onehop
