#include "base/recorded_computing.hpp"

#include <charconv>
#include <fstream>

#include "base/recording_file.hpp"
#include "base/text.hpp"

namespace onehop {

bool recorded_computing::read(const std::string& folder, int rank) {
  std::ifstream file(folder + "/" + std::to_string(rank));
  std::string time, before, after;
  while (std::getline(file, time, '\t') && std::getline(file, before, '\t') &&
         std::getline(file, after)) {
    const int from = numbers_.emplace(before, static_cast<int>(numbers_.size())).first->second;
    const int to = numbers_.emplace(after, static_cast<int>(numbers_.size())).first->second;
    std::int64_t& found = times_[{from, to}];
    std::from_chars(time.data(), time.data() + time.size(), found);
  }
  return file.eof();
}

int recorded_computing::number_of(const std::string& site) const {
  const auto known = numbers_.find(site);
  return known == numbers_.end() ? -1 : known->second;
}

std::int64_t recorded_computing::take_before(int site) {
  if (taken_) return 0;
  const auto found = times_.find({last_, site});
  if (found == times_.end()) return 0;
  taken_ = true;
  return found->second;
}

void recorded_computing::note(int site) {
  if (!taken_) ++unknown_;
  taken_ = false;
  last_ = site;
}

void recorded_computing::tell_unknown(int rank) const {
  if (unknown_ == 0) return;
  complain_as_recorder(text("rank ", rank, ": no time passes before ", counted(unknown_, "call"),
                            " where the recording has another order"));
}

}  // namespace onehop
