#pragma once
/// An input_file is a regular file opened for reading at any offset.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace onehop::io {

/// Every read names its offset, so that several threads may share one object.
class input_file {
 public:
  /// The constructor throws file_error if the path cannot be opened or is not a regular file.
  explicit input_file(std::string path);
  ~input_file();
  input_file(input_file&& other) noexcept;
  input_file& operator=(input_file&&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::uint64_t size() const noexcept { return size_; }

  /// Fills `bytes` from `offset`; throws file_error if the file ends too early.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// Returns up to `longest` bytes as text, fewer at the end of the file.
  std::string read_text(std::uint64_t offset, std::uint64_t longest) const;

  /// Throws file_error with the path followed by `message`, which may contain bytes of the file.
  [[noreturn]] void fail(std::string_view message) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace onehop::io
