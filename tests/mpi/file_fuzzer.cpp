// file_fuzzer SECONDS: three ranks access files at random through onehop's MPI, with invalid calls
// in between, until the time is over or a rank finds an error (random_files.c).

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "support/programs.hpp"

int main(int count, char** words) {
  const double seconds = count == 2 ? std::atof(words[1]) : 0;
  if (!(seconds > 0)) {
    std::cerr << "file_fuzzer: give the seconds that it is to run for\n";
    return 2;
  }
  const auto begun = std::chrono::steady_clock::now();
  std::string folder = std::filesystem::temp_directory_path() / "onehop_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 2;
  constexpr int at_once = 10;
  int seed = 1;
  bool good = true;
  for (; good && std::chrono::steady_clock::now() - begun < std::chrono::duration<double>(seconds);
       seed += at_once) {
    const std::vector<std::string> program{MPI_PROGRAMS "/mpi_random_files", folder + "/file",
                                           std::to_string(seed), std::to_string(at_once), "wrong"};
    for (const test::rank_end& end : test::run_program(program, 3)) {
      if (end.good()) continue;
      good = false;
      std::cout << "file_fuzzer: random_files FILE " << seed << ' ' << at_once << " wrong: signal "
                << end.signal << ' ' << end.message << '\n';
    }
  }
  std::filesystem::remove_all(folder);
  std::cout << seed - 1 << " files accessed by three ranks, "
            << (good ? "no finding" : "the last ones wrongly") << '\n';
  return good ? 0 : 1;
}
