#pragma once
/// A staged_file appears under its name only when it is complete.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace onehop::io {

/// Bytes go to a file of another name in the same folder, possibly from several processes, until
/// the one that has created it commits it under its own name. When that one destroys it
/// uncommitted, it is removed. A process that is killed leaves PATH.part-PROCESS-*, where of the
/// file's name the first 220 bytes stand, for its launcher to remove.
class staged_file {
 public:
  /// Creates the file. Throws file_error when the folder is missing or not writable, or when `path`
  /// is something that must not be replaced: a folder, a device.
  static staged_file create(const std::string& path);
  /// Returns another writer of a file that was created elsewhere.
  static staged_file join(const std::string& path, const std::string& staging_path);

  ~staged_file();
  staged_file(staged_file&& other) noexcept;
  staged_file& operator=(staged_file&&) = delete;

  const std::string& staging_path() const noexcept { return staging_path_; }

  /// Writes bytes; writers may write to different offsets at the same time.
  void write(std::uint64_t offset, std::span<const std::byte> bytes) const;
  void write(std::uint64_t offset, std::string_view bytes) const;
  /// Brings what this process has written to the disk, which is when some file systems say that
  /// they have no room for it.
  void flush() const;
  /// Flushes and gives the file its name, replacing an older one.
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
