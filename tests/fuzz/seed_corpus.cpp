/// Writes small valid files of every format into a folder, for the fuzzer to start from.

#include <fstream>
#include <iostream>

#include "fuzz/seeds.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: seed_corpus FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const auto& bytes : fuzz::seeds()) {
    std::ofstream file(folder / ("seed-" + std::to_string(number++)), std::ios::binary);
    file << bytes;
    if (!file.flush()) {
      std::cerr << folder.string() << ": cannot be written\n";
      return 2;
    }
  }
  return 0;
}
