#pragma once
/// Attributes are values that callers attach to communicators, datatypes and windows under a key.
/// Each key has functions of the caller, which MPI calls when an object is duplicated or ends.

#include <cstdint>
#include <memory>
#include <vector>

namespace onehop::mpi_abi {

/// The functions for the three kinds of objects differ only in the type of the handle, a pointer.
using attribute_copy = int(void* object, int key, void* extra, void* in, void* out, int* flag);
using attribute_delete = int(void* object, int key, void* value, void* extra);

/// Each key belongs to one kind of object.
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
  /// Sets an attribute, replacing an old value. Throws mpi_error if the kind has no such key.
  void set(void* object, attribute_owner owner, int key, void* value);
  /// Returns whether the attribute is set, and stores its value.
  bool get(attribute_owner owner, int key, void** value) const;
  void erase(void* object, attribute_owner owner, int key);
  /// Deletes all attributes, the newest first.
  void clear(void* object);
  /// Returns the attributes that a duplicate of the object gets.
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
/// An attribute that is set keeps its key alive. A freed key may be freed again until the last such
/// attribute is deleted.
void free_attribute_key(attribute_owner owner, int* key);

}  // namespace onehop::mpi_abi
