#include "qmp/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "base/text.hpp"

struct QMP_mem_struct {
  void* bytes;
};

namespace onehop::qmp {
namespace {

/// MPI counts are of type int, so longer blocks go in pieces.
constexpr std::size_t largest_piece = std::size_t{1} << 30;

class block_list {
 public:
  void add(std::intptr_t place, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t piece = std::min(bytes - done, largest_piece);
      places_.push_back(place + static_cast<std::intptr_t>(done));
      lengths_.push_back(static_cast<int>(piece));
      done += piece;
    }
  }
  /// Adds blocks whose starts lie `stride` bytes apart.
  void add(std::intptr_t place, std::size_t bytes, int blocks, std::ptrdiff_t stride) {
    for (int n = 0; n < blocks; ++n) add(place + n * stride, bytes);
  }
  MPI_Datatype type() const {
    MPI_Datatype made = nullptr;
    if (places_.size() == 1 && places_[0] == 0)
      MPI_Type_contiguous(lengths_[0], MPI_BYTE, &made);
    else
      MPI_Type_create_hindexed(static_cast<int>(places_.size()), lengths_.data(), places_.data(),
                               MPI_BYTE, &made);
    MPI_Type_commit(&made);
    return made;
  }

 private:
  std::vector<int> lengths_;
  std::vector<MPI_Aint> places_;
};

QMP_msgmem_t give(void* base, const block_list& blocks) {
  return new QMP_msgmem_struct{base, blocks.type()};
}

void require_count(int count, const char* what) {
  if (count < 0) fail(text("the number of ", what, " is ", count));
}

}  // namespace
}  // namespace onehop::qmp

using namespace onehop::qmp;

extern "C" {

QMP_mem_t* QMP_allocate_aligned_memory(size_t nbytes, size_t alignment, int) {
  const call here("QMP_allocate_aligned_memory");
  if ((alignment & (alignment - 1)) != 0)
    fail(onehop::text("the alignment is ", alignment, ": give a power of two"));
  void* bytes = nullptr;
  if (posix_memalign(&bytes, std::max<size_t>(alignment, QMP_ALIGN_DEFAULT),
                     std::max<size_t>(nbytes, 1)) != 0)
    return nullptr;
  return new QMP_mem_struct{bytes};
}
QMP_mem_t* QMP_allocate_memory(size_t nbytes) {
  const call here("QMP_allocate_memory");
  return QMP_allocate_aligned_memory(nbytes, QMP_ALIGN_DEFAULT, QMP_MEM_DEFAULT);
}
void* QMP_get_memory_pointer(QMP_mem_t* mem) { return mem == nullptr ? nullptr : mem->bytes; }
void QMP_free_memory(QMP_mem_t* mem) {
  if (mem == nullptr) return;
  free(mem->bytes);
  delete mem;
}

QMP_msgmem_t QMP_declare_msgmem(const void* mem, size_t nbytes) {
  const call here("QMP_declare_msgmem");
  if (nbytes > 0) require(mem, "the memory");
  block_list blocks;
  blocks.add(0, nbytes);
  return give(const_cast<void*>(mem), blocks);
}

QMP_msgmem_t QMP_declare_strided_msgmem(void* base, size_t blksize, int nblocks, ptrdiff_t stride) {
  const call here("QMP_declare_strided_msgmem");
  require(base, "the memory");
  require_count(nblocks, "blocks");
  block_list blocks;
  blocks.add(0, blksize, nblocks, stride);
  return give(base, blocks);
}

QMP_msgmem_t QMP_declare_strided_array_msgmem(void* base[], size_t blksize[], int nblocks[],
                                              ptrdiff_t stride[], int num) {
  const call here("QMP_declare_strided_array_msgmem");
  require_count(num, "strided blocks");
  block_list blocks;
  for (int n = 0; n < num; ++n) {
    require(base[n], "the memory");
    require_count(nblocks[n], "blocks");
    blocks.add(static_cast<char*>(base[n]) - static_cast<char*>(base[0]), blksize[n], nblocks[n],
               stride[n]);
  }
  return give(num > 0 ? base[0] : nullptr, blocks);
}

QMP_msgmem_t QMP_declare_indexed_msgmem(void* base, int blocklen[], int index[], int elemsize,
                                        int count) {
  const call here("QMP_declare_indexed_msgmem");
  require(base, "the memory");
  require_count(count, "blocks");
  require_count(elemsize, "bytes of an element");
  block_list blocks;
  for (int n = 0; n < count; ++n) {
    require_count(blocklen[n], "elements of a block");
    blocks.add(std::intptr_t{index[n]} * elemsize,
               static_cast<std::size_t>(blocklen[n]) * static_cast<std::size_t>(elemsize));
  }
  return give(base, blocks);
}

void QMP_free_msgmem(QMP_msgmem_t m) {
  if (m == nullptr) return;
  const call here("QMP_free_msgmem");
  MPI_Type_free(&m->type);
  delete m;
}
}
