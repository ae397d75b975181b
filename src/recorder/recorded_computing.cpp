#include "recorder/recorded_computing.hpp"

#include <dlfcn.h>

#include <array>
#include <charconv>
#include <fstream>
#include <string_view>

extern "C" {
/// Only onehop's MPI has this function.
[[gnu::weak]] void onehop_program_computes(std::int64_t nanoseconds);
}

namespace onehop::recorder {

std::string place_of(const void* address) {
  Dl_info found{};
  if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) return "?";
  const auto offset = static_cast<const char*>(address) - static_cast<char*>(found.dli_fbase);
  const std::string_view file = found.dli_fname;
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), offset, 16).ptr;
  return std::string(file.substr(file.rfind('/') + 1)) + "+0x" + std::string(digits.data(), end);
}

bool recorded_computing::read(const std::string& name) {
  std::ifstream file(name);
  std::string time, before, after;
  while (std::getline(file, time, '\t') && std::getline(file, before, '\t') &&
         std::getline(file, after)) {
    const int from = numbers_.emplace(before, static_cast<int>(numbers_.size())).first->second;
    const int to = numbers_.emplace(after, static_cast<int>(numbers_.size())).first->second;
    std::int64_t& found = times_[{from, to}];
    std::from_chars(time.data(), time.data() + time.size(), found);
  }
  return file.eof() && onehop_program_computes != nullptr;
}

int recorded_computing::number_of(const void* site) {
  const auto [found, fresh] = sites_.emplace(site, -1);
  if (fresh) {
    const auto known = numbers_.find(place_of(site));
    if (known != numbers_.end()) found->second = known->second;
  }
  return found->second;
}

void recorded_computing::pass(const void* site) {
  if (passed_ || empty()) return;
  const auto found = times_.find({last_, number_of(site)});
  if (found == times_.end()) return;
  passed_ = true;
  if (found->second > 0) onehop_program_computes(found->second);
}

void recorded_computing::note(const void* site) {
  if (empty()) return;
  if (!passed_) ++unknown_;
  passed_ = false;
  last_ = number_of(site);
}

}  // namespace onehop::recorder
