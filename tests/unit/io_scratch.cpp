#include "unit/io_scratch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace samples {

scratch_folder::scratch_folder() {
  auto name = (std::filesystem::temp_directory_path() / "onehop-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no room for temporary files");
  folder_ = name;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string scratch_folder::file(const std::string& name, const std::string& bytes) const {
  std::ofstream(path(name), std::ios::binary) << bytes;
  return path(name);
}

std::vector<std::string> scratch_folder::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

memory_file::memory_file() : descriptor_(::memfd_create("onehop-test", MFD_CLOEXEC)) {
  if (descriptor_ < 0) throw std::runtime_error("no room for a file in memory");
}

memory_file::~memory_file() { ::close(descriptor_); }

std::string memory_file::put(std::string_view bytes) const {
  const bool whole =
      ::ftruncate(descriptor_, 0) == 0 &&
      ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  if (!whole) throw std::runtime_error("no room for a file in memory");
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

}  // namespace samples
