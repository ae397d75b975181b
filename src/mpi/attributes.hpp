#pragma once
/// Attributes are values that callers attach to communicators, datatypes and windows, by keys with
/// functions of theirs that are called when an object is duplicated or ends.

#include <memory>
#include <vector>

namespace onehop::mpi_abi {

/// The functions of the three kinds of objects differ in the type of the handle only, a pointer.
using attribute_copy = int(void* object, int key, void* extra, void* in, void* out, int* flag);
using attribute_delete = int(void* object, int key, void* value, void* extra);

struct attribute_key {
  int number;
  attribute_copy* copy;       ///< null copies nothing, 1 copies the value
  attribute_delete* deleted;  ///< null does nothing
  void* extra;
};

class attribute_list {
 public:
  /// Replaces a value that is there. Throws mpi_error where a key is not there.
  void set(void* object, int key, void* value);
  /// Returns whether it is there, and gives the value.
  bool get(int key, void** value) const;
  void erase(void* object, int key);
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

int make_attribute_key(attribute_copy* copy, attribute_delete* deleted, void* extra);
/// Attributes that are there keep their key, which can be freed again until the last one ends.
void free_attribute_key(int* key);

}  // namespace onehop::mpi_abi
