#pragma once
/// All exceptions of onehop derive from one base. Every message says what is wrong, where, with
/// which values, and what to do.

#include <onehop/detail/language.hpp>

#include <stdexcept>
#include <string>

namespace onehop {

/// error is the base of everything that onehop throws.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller asked for something that makes no sense: a grid that does not divide the lattice, an
/// unknown name, a call out of order.
class usage_error : public error {
 public:
  using error::error;
};

/// A file is missing, cannot be read or written, is truncated or is not what its header says.
class file_error : public error {
 public:
  using error::error;
};

/// The bytes of a file do not give the checksum that its header or trailer states.
class checksum_error : public file_error {
 public:
  using file_error::file_error;
};

/// The ranks disagree about a put chain; the message names both sides.
class chain_error : public usage_error {
 public:
  using usage_error::usage_error;
};

/// Another rank failed or died.
class peer_error : public error {
 public:
  using error::error;
};

/// A wait reached its deadline; the message says who waits for whom.
class timeout_error : public error {
 public:
  using error::error;
};

/// The machine lacks something, as shared memory, address space or a free descriptor.
class resource_error : public error {
 public:
  using error::error;
};

/// The numbers are wrong, as where a link is not a number or iterated and true residual disagree.
class numeric_error : public error {
 public:
  using error::error;
};

}  // namespace onehop
