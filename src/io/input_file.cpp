#include "io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <onehop/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "io/printable_text.hpp"

namespace onehop::io {

input_file::input_file(std::string path) : path_(std::move(path)) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) {
    fail(text("cannot be opened: ", std::strerror(errno), "; check the name and its permissions"));
  }
  struct stat status {};
  std::string trouble;
  if (::fstat(descriptor_, &status) != 0) {
    trouble = text("cannot be examined: ", std::strerror(errno));
  } else if (S_ISDIR(status.st_mode)) {
    trouble = "is a folder; give a file in it";
  } else if (!S_ISREG(status.st_mode)) {
    trouble = "is not a regular file; copy the data to one";
  }
  if (!trouble.empty()) {
    ::close(std::exchange(descriptor_, -1));
    fail(trouble);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

input_file::~input_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

input_file::input_file(input_file&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

void input_file::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      fail(text("cannot be read at byte ", offset, ": ", std::strerror(errno)));
    }
    if (got == 0) {
      fail(text("ends at byte ", offset, " where ", bytes.size(),
                " more bytes are needed; the file is truncated, fetch it again"));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

std::string input_file::read_text(std::uint64_t offset, std::uint64_t longest) const {
  const std::uint64_t left = offset < size_ ? size_ - offset : 0;
  std::string result(static_cast<std::size_t>(std::min(longest, left)), '\0');
  read(offset, std::as_writable_bytes(std::span(result)));
  return result;
}

void input_file::fail(std::string_view message) const {
  throw file_error(text(path_, ": ", printable(message)));
}

}  // namespace onehop::io
