#include "machine/module_file.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "base/environment.hpp"

namespace onehop {
namespace {

std::vector<std::string> candidates(std::string_view file_name) {
  std::vector<std::string> names;
  const std::string folders = environment::read().module_path;
  for (std::size_t begin = 0; begin < folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    if (end > begin) {
      names.push_back(folders.substr(begin, end - begin) + "/" + std::string(file_name));
    }
    begin = end + 1;
  }
  names.emplace_back(file_name);
  return names;
}

}  // namespace

module_file open_module(std::string_view file_name) {
  for (const std::string& name : candidates(file_name)) {
    // Modules may define the same names, so each keeps its names private.
    void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return {handle, {}};
    const std::string reason = dlerror();
    // Anything other than the absence of the module is reported.
    if (!reason.starts_with(name + ": cannot open shared object file")) return {nullptr, reason};
  }
  return {};
}

void* find_symbol(const module_file& file, const char* name) { return dlsym(file.handle, name); }

}  // namespace onehop
