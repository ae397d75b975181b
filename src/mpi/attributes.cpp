#include "mpi/attributes.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/fiber.hpp"

namespace onehop::mpi_abi {
namespace {

constexpr int first_key = 1001;

using key_ptr = std::shared_ptr<const attribute_key>;

/// A known_key exists until the caller has freed it and no object has an attribute with it.
struct known_key {
  key_ptr made;
  std::weak_ptr<const attribute_key> used;
};

std::map<int, known_key>& keys() {
  static auto& all = *new std::map<int, known_key>;
  return all;
}

constexpr const char* owner_names[] = {"communicators", "datatypes", "windows"};

key_ptr key_at(attribute_owner owner, int number) {
  const char* const kind = owner_names[static_cast<std::size_t>(owner)];
  if (number < first_key)
    throw mpi_error(err_keyval, text("key ", number, " is predefined, or none of ", kind));
  const auto found = keys().find(number);
  key_ptr key = found == keys().end() ? nullptr : found->second.used.lock();
  if (!key || key->owner != owner)
    throw mpi_error(err_keyval, text("no call has made key ", number, " for ", kind));
  return key;
}

void require_success(int code) {
  if (code != success) throw_code(code);
}

bool copies_value(attribute_copy* copy) { return reinterpret_cast<std::uintptr_t>(copy) == 1; }

}  // namespace

void attribute_list::end(void* object, const entry& one) {
  if (one.key->deleted == nullptr) return;
  int code = success;
  fiber::call_outside(
      [&] { code = one.key->deleted(object, one.key->number, one.value, one.key->extra); });
  require_success(code);
}

void attribute_list::set(void* object, attribute_owner owner, int key, void* value) {
  const key_ptr made = key_at(owner, key);
  for (entry& one : entries_)
    if (one.key == made) {
      end(object, one);
      one.value = value;
      return;
    }
  entries_.push_back({made, value});
}

bool attribute_list::get(attribute_owner owner, int key, void** value) const {
  const key_ptr made = key_at(owner, key);
  const auto found = std::ranges::find(entries_, made, &entry::key);
  if (found == entries_.end()) return false;
  *value = found->value;
  return true;
}

void attribute_list::erase(void* object, attribute_owner owner, int key) {
  const key_ptr made = key_at(owner, key);
  const auto found = std::ranges::find(entries_, made, &entry::key);
  if (found == entries_.end()) return;
  end(object, *found);
  entries_.erase(std::ranges::find(entries_, made, &entry::key));
}

void attribute_list::clear(void* object) {
  while (!entries_.empty()) {
    const entry last = entries_.back();
    entries_.pop_back();
    end(object, last);
  }
}

attribute_list attribute_list::copied(void* object) const {
  attribute_list made;
  for (const entry& one : entries_) {
    int flag = 1;
    void* value = one.value;
    if (one.key->copy == nullptr) continue;
    int code = success;
    if (!copies_value(one.key->copy))
      fiber::call_outside([&] {
        code = one.key->copy(object, one.key->number, one.key->extra, one.value, &value, &flag);
      });
    require_success(code);
    if (flag != 0) made.entries_.push_back({one.key, value});
  }
  return made;
}

int make_attribute_key(attribute_owner owner, attribute_copy* copy, attribute_delete* deleted,
                       void* extra) {
  static int next = first_key;
  const auto made =
      std::make_shared<attribute_key>(attribute_key{owner, next, copy, deleted, extra});
  keys()[next] = {made, made};
  return next++;
}

void free_attribute_key(attribute_owner owner, int* key) {
  key_at(owner, *key);
  keys().at(*key).made.reset();
  *key = 0;
}

}  // namespace onehop::mpi_abi
