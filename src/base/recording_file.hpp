#pragma once
/// A recording_file is the part of a recording that one rank writes, in JSON lines, which
/// docs/reference/recording.md describes.

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>

namespace onehop {

/// Prints a recorder's message to standard error: a failure to record is no reason to end the
/// program.
void complain_as_recorder(std::string_view what);

class recording_file {
 public:
  recording_file() = default;
  /// A file that was not ended lacks its last line, which tells readers that it is incomplete.
  ~recording_file();
  recording_file(const recording_file&) = delete;
  recording_file& operator=(const recording_file&) = delete;

  /// Begins the file of a rank in `folder`, which is created if missing. All ranks pass the same
  /// name of the run; `mpi` names the MPI library, and is empty for a program without MPI.
  void open(const std::string& folder, std::string_view run, int rank, int ranks,
            std::string_view mpi);
  bool is_open() const noexcept { return file_ != nullptr; }
  /// Writes a line, which includes its line end.
  void write(std::string_view text);
  /// Returns the number of a call site by its name; the name is written before its first use.
  std::int64_t site(const std::string& name);
  /// Ends the file; `missed` is a JSON object that lists what could not be recorded.
  void end(std::string_view missed);

 private:
  void flush();

  std::FILE* file_ = nullptr;
  std::string name_, waiting_;
  std::uint64_t lines_ = 0;
  std::unordered_map<std::string, std::int64_t> sites_;
};

}  // namespace onehop
