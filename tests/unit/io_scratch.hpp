#pragma once
/// Tests keep their files here.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace samples {

/// A scratch_folder is a folder of its own under the system's folder for temporary files, removed
/// at the end.
class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& bytes) const;
  std::vector<std::string> entries() const;

 private:
  std::filesystem::path folder_;
};

/// A memory_file has no place on any disk, for tests that need very many files.
class memory_file {
 public:
  memory_file();
  ~memory_file();
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  /// Replaces the content; returns the path to open.
  std::string put(std::string_view bytes) const;

 private:
  int descriptor_;
};

std::string bytes_of_file(const std::string& path);

}  // namespace samples
