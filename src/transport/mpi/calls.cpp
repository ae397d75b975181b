#include "transport/mpi/calls.hpp"

#include <array>
#include <climits>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::mpi {

void fail(int code, std::string_view call) {
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(code, words.data(), &length);
  throw error(text(call, " failed: ", std::string_view(words.data(), length),
                   "; see what MPI's own documentation says of it"));
}

byte_count::byte_count(std::size_t bytes) : count_(static_cast<int>(bytes)) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 30;
  if (bytes <= INT_MAX) return;
  count_ = 1;
  MPI_Datatype piece = MPI_BYTE;
  check(MPI_Type_contiguous(static_cast<int>(piece_bytes), MPI_BYTE, &piece),
        "MPI_Type_contiguous");
  const std::size_t pieces = bytes / piece_bytes;
  std::array<int, 2> counts{static_cast<int>(pieces), static_cast<int>(bytes % piece_bytes)};
  std::array<MPI_Aint, 2> places{0, static_cast<MPI_Aint>(pieces * piece_bytes)};
  std::array<MPI_Datatype, 2> types{piece, MPI_BYTE};
  check(MPI_Type_create_struct(2, counts.data(), places.data(), types.data(), &type_),
        "MPI_Type_create_struct");
  check(MPI_Type_commit(&type_), "MPI_Type_commit");
  check(MPI_Type_free(&piece), "MPI_Type_free");
}

byte_count::~byte_count() {
  if (type_ != MPI_BYTE) MPI_Type_free(&type_);
}

}  // namespace onehop::mpi
