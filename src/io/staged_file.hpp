#pragma once
/// A staged_file appears under its name only once it is complete.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace onehop::io {

/// Bytes go to a file of another name in the same folder, possibly from several processes, until
/// the process that created it commits it under its own name. If that process destroys it
/// uncommitted, the file is removed. A process that is killed leaves PATH.part-PROCESS-*, with the
/// first 220 bytes of the file's name, for its launcher to remove.
class staged_file {
 public:
  /// Creates the file. Throws file_error if the folder is missing or not writable, or if `path` is
  /// something that must not be replaced: a folder, a device.
  static staged_file create(const std::string& path);
  /// Returns another writer of a file that was created by another process.
  static staged_file join(const std::string& path, const std::string& staging_path);

  ~staged_file();
  staged_file(staged_file&& other) noexcept;
  staged_file& operator=(staged_file&&) = delete;

  const std::string& staging_path() const noexcept { return staging_path_; }

  /// Writes bytes; writers may write to different offsets at the same time.
  void write(std::uint64_t offset, std::span<const std::byte> bytes) const;
  void write(std::uint64_t offset, std::string_view bytes) const;
  /// Writes this process's data to disk, which is when some file systems report that they are full.
  void flush() const;
  /// Flushes and gives the file its name, replacing an existing file.
  void commit();

 private:
  staged_file(std::string path, std::string staging_path, int descriptor, bool is_creator)
      : path_(std::move(path)),
        staging_path_(std::move(staging_path)),
        descriptor_(descriptor),
        is_creator_(is_creator) {}

  std::string path_;
  std::string staging_path_;
  int descriptor_;
  bool is_creator_;
};

}  // namespace onehop::io
