#pragma once
/// onehop loads these shared libraries itself when it needs them.

#include <string>
#include <string_view>

namespace onehop {

struct module_file {
  void* handle = nullptr;  ///< handle of the library, null if there is no such file
  std::string problem;     ///< why an existing file could not be loaded
};

/// Searches the folders of ONEHOP_MODULE_PATH, then those of the dynamic linker (run path of this
/// library, LD_LIBRARY_PATH, system folders). The library stays loaded.
module_file open_module(std::string_view file_name);
/// Returns the symbol, or null if the library does not have it.
void* find_symbol(const module_file& file, const char* name);

}  // namespace onehop
