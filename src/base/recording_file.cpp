#include "base/recording_file.hpp"

#include <errno.h>
#include <sys/stat.h>

#include <array>
#include <cstring>

#include "base/words.hpp"

namespace onehop {
namespace {

constexpr std::size_t longest_wait = std::size_t{1} << 20;  ///< bytes waiting to be written

}  // namespace

void complain_as_recorder(std::string_view what) {
  std::fprintf(stderr, "onehop: recorder: %.*s\n", static_cast<int>(what.size()), what.data());
}

recording_file::~recording_file() {
  if (file_ != nullptr) std::fclose(file_);
}

void recording_file::open(const std::string& folder, std::string_view run, int rank, int ranks,
                          std::string_view mpi) {
  mkdir(folder.c_str(), 0777);
  std::array<char, 16> number{};
  std::snprintf(number.data(), number.size(), "%06d", rank);
  name_ = folder + "/rank-" + number.data() + ".jsonl";
  file_ = std::fopen(name_.c_str(), "we");
  if (file_ == nullptr)
    return complain_as_recorder("cannot write " + name_ + ": " + std::strerror(errno));
  waiting_ = "{\"schema\":\"onehop.recording/1\",\"run\":" + quoted(run) +
             ",\"rank\":" + std::to_string(rank) + ",\"ranks\":" + std::to_string(ranks) +
             ",\"mpi\":" + quoted(mpi) + "}\n";
}

void recording_file::write(std::string_view text) {
  if (file_ == nullptr) return;
  waiting_ += text;
  ++lines_;
  if (waiting_.size() > longest_wait) flush();
}

std::int64_t recording_file::site(const std::string& name) {
  const auto [found, fresh] = sites_.emplace(name, static_cast<std::int64_t>(sites_.size()));
  if (fresh) write("[\"site\"," + std::to_string(found->second) + ',' + quoted(name) + "]\n");
  return found->second;
}

void recording_file::end(std::string_view missed) {
  if (file_ == nullptr) return;
  waiting_ += "{\"lines\":" + std::to_string(lines_) + ",\"missed\":" + std::string(missed) + "}\n";
  flush();
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
}

void recording_file::flush() {
  const bool written = std::fwrite(waiting_.data(), 1, waiting_.size(), file_) == waiting_.size() &&
                       std::fflush(file_) == 0;
  waiting_.clear();
  if (written) return;
  complain_as_recorder("cannot write " + name_ + ": " + std::strerror(errno));
  std::fclose(file_);
  file_ = nullptr;
}

}  // namespace onehop
