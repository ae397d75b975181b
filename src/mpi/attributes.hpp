#pragma once
/// Attributes are values that callers attach to communicators, datatypes and windows, by keys with
/// functions of theirs that are called when an object is duplicated or ends.

#include <cstdint>
#include <memory>
#include <vector>

namespace onehop::mpi_abi {

/// The functions of the three kinds of objects differ in the type of the handle only, a pointer.
using attribute_copy = int(void* object, int key, void* extra, void* in, void* out, int* flag);
using attribute_delete = int(void* object, int key, void* value, void* extra);

/// A key is for objects of one kind.
enum class attribute_owner : std::uint8_t { Comm, Type, Win };

struct attribute_key {
  attribute_owner owner;
  int number;
  attribute_copy* copy;       ///< null copies nothing, 1 copies the value
  attribute_delete* deleted;  ///< null does nothing
  void* extra;
};

class attribute_list {
 public:
  /// Replaces a value that is there. Throws mpi_error where no object of the kind has such a key.
  void set(void* object, attribute_owner owner, int key, void* value);
  /// Returns whether it is there, and gives the value.
  bool get(attribute_owner owner, int key, void** value) const;
  void erase(void* object, attribute_owner owner, int key);
  /// Deletes all, the youngest first.
  void clear(void* object);
  /// Returns those that a duplicate of the object has.
  attribute_list copied(void* object) const;

 private:
  struct entry {
    std::shared_ptr<const attribute_key> key;
    void* value;
  };
  static void end(void* object, const entry& one);
  std::vector<entry> entries_;
};

int make_attribute_key(attribute_owner owner, attribute_copy* copy, attribute_delete* deleted,
                       void* extra);
/// Attributes that are there keep their key, which can be freed again until the last one ends.
void free_attribute_key(attribute_owner owner, int* key);

}  // namespace onehop::mpi_abi
