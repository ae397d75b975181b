#pragma once
// Switches of `make mutants`: every change is compiled in, and MUTANT names the one that is on.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

// A number in braces is no constant behind a switch.
#pragma GCC diagnostic ignored "-Wnarrowing"

namespace mutants {

constexpr int most = 1 << 20;

/// Where MUTANTS_REACHED names a file, each place that is executed sets its byte there, for all
/// processes of a test.
inline unsigned char* reached() {
  const char* name = std::getenv("MUTANTS_REACHED");
  const int file = name == nullptr ? -1 : open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, most) != 0) return nullptr;
  void* bytes = mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return bytes == MAP_FAILED ? nullptr : static_cast<unsigned char*>(bytes);
}

inline int chosen() {
  const char* number = std::getenv("MUTANT");
  return number == nullptr ? -1 : std::atoi(number);
}

// Static objects of a file that includes this first find these two ready.
inline unsigned char* const places = reached();
inline const int on = chosen();

}  // namespace mutants

inline bool mutant(int number) {
  if (mutants::places != nullptr && mutants::places[number] == 0) mutants::places[number] = 1;
  return mutants::on == number;
}
