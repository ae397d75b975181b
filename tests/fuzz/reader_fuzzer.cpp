#include "fuzz/read_everything.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const samples::memory_file file;
  fuzz::read_everything(file, {reinterpret_cast<const char*>(data), size});
  return 0;
}
