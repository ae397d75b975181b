#pragma once
/// Shared libraries that onehop loads itself, when something needs them.

#include <string>
#include <string_view>

namespace onehop {

struct module_file {
  void* handle = nullptr;  ///< null when there is no such file
  std::string problem;     ///< why a file that is there could not be loaded
};

/// Looks where the dynamic linker looks (run path of this library, LD_LIBRARY_PATH, system
/// folders), after the folders of ONEHOP_MODULE_PATH. Stays loaded.
module_file open_module(std::string_view file_name);
/// Null where it is not.
void* find_symbol(const module_file& file, const char* name);

}  // namespace onehop
