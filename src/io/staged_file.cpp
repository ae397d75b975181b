#include "io/staged_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <onehop/error.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "base/text.hpp"

namespace onehop::io {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view what, int error_number) {
  throw file_error(text(path, ": ", what, ": ", std::strerror(error_number)));
}

// A symbolic link is followed, so that the file it points to is replaced, not the link.
std::string replaceable(const std::string& path) {
  std::error_code trouble;
  const auto status = std::filesystem::status(path, trouble);
  if (std::filesystem::is_directory(status)) {
    throw file_error(text(path, ": cannot be written: it is a folder; give a file name in it"));
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw file_error(
        text(path, ": cannot be written: it is not a regular file; give another name"));
  }
  // A write-protected file is refused here, because the system does not refuse it to root.
  constexpr auto writable = std::filesystem::perms::owner_write |
                            std::filesystem::perms::group_write |
                            std::filesystem::perms::others_write;
  if (std::filesystem::exists(status) &&
      (status.permissions() & writable) == std::filesystem::perms::none) {
    throw file_error(text(path, ": cannot be replaced: it is write-protected; give another name"));
  }
  if (std::filesystem::exists(status) && ::access(path.c_str(), W_OK) != 0) {
    fail(path, "cannot be replaced", errno);
  }
  if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, trouble))) return path;
  const auto target = std::filesystem::canonical(path, trouble);
  if (trouble) fail(path, "cannot be written: it is a dangling link", trouble.value());
  return target.string();
}

// A file system takes names of up to 255 bytes; the longest names leave no room for a suffix.
std::string staging_name(const std::string& target, unsigned draw) {
  constexpr std::size_t kept = 220;
  const std::filesystem::path path(target);
  const auto name = path.filename().string().substr(0, kept);
  return path.parent_path() / text(name, ".part-", ::getpid(), '-', std::hex, draw);
}

}  // namespace

staged_file staged_file::create(const std::string& path) {
  const std::string target = replaceable(path);
  std::random_device random;
  for (int attempt = 0; attempt < 16; ++attempt) {
    const std::string staging = staging_name(target, random());
    const int descriptor = ::open(staging.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {target, staging, descriptor, true};
    if (errno != EEXIST) fail(path, "cannot be written", errno);
  }
  throw file_error(
      text(path, ": cannot be written: its folder is full of *.part-* files; remove them"));
}

staged_file staged_file::join(const std::string& path, const std::string& staging_path) {
  const int descriptor = ::open(staging_path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "cannot be written by every rank", errno);
  return {path, staging_path, descriptor, false};
}

staged_file::~staged_file() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (is_creator_) ::unlink(staging_path_.c_str());
}

staged_file::staged_file(staged_file&& other) noexcept
    : path_(std::move(other.path_)),
      staging_path_(std::move(other.staging_path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_creator_(other.is_creator_) {}

void staged_file::write(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      fail(path_, text("cannot be written at byte ", offset), put < 0 ? errno : ENOSPC);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

void staged_file::write(std::uint64_t offset, std::string_view bytes) const {
  write(offset, std::as_bytes(std::span(bytes)));
}

void staged_file::flush() const {
  if (::fsync(descriptor_) != 0) fail(path_, "cannot be flushed to the disk", errno);
}

void staged_file::commit() {
  flush();
  if (std::rename(staging_path_.c_str(), path_.c_str()) != 0) {
    fail(path_, "cannot be given its name", errno);
  }
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace onehop::io
