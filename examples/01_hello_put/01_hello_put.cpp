// Every rank puts its number into the memory of its right neighbour.
#include <onehop/collectives.hpp>
#include <onehop/put_chain.hpp>

#include <cstdio>
#include <cstring>

int main() {
  const onehop::context job = onehop::join();
  const int right = (job.rank() + 1) % job.size();
  const int left = (job.rank() + job.size() - 1) % job.size();

  const auto window = onehop::window::allocate(job, sizeof(int));
  const int mine = job.rank();
  onehop::put_chain chain(job, window);
  chain.push({onehop::local_view::contiguous(std::as_bytes(std::span(&mine, 1))), right, 0});
  const auto from_left = chain.add_origin(left);
  chain.commit();

  chain.start();
  chain.wait();
  int arrived;
  std::memcpy(&arrived, chain.arrived(from_left).data(), sizeof arrived);

  for (const int value : onehop::allgather(job, arrived)) {
    if (job.rank() == 0) std::printf("a rank heard from rank %d\n", value);
  }
}
