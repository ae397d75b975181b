#include <cstring>
#include <memory>
#include <onehop/alltoall.hpp>
#include <onehop/cartesian.hpp>
#include <onehop/collectives.hpp>
#include <onehop/persistent_collective.hpp>
#include <onehop/put_chain.hpp>
#include <onehop/trace.hpp>
#include <onehop/window.hpp>
#include <vector>

struct particle {
  double place[3];
};
struct one_face {
  onehop::put_slot slot;
};
extern onehop::context job, ctx;
extern onehop::put_chain chain;
extern int target, origin, right, steps, priority;
extern std::size_t offset, most_bytes, list_bytes, nx, ny, nz, rows, row_bytes;
extern bool busy;
extern std::vector<double> list, values;
extern std::vector<one_face> faces;
extern std::vector<int> destinations;
extern std::vector<std::span<const particle>> lists;
extern std::vector<std::size_t> offsets;
extern onehop::local_view column;
void pack(const one_face& face, std::span<std::byte> to);
void other_work();
