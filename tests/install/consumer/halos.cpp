#include <onehop/collectives.hpp>
#include <onehop/put_chain.hpp>

#include <cstdio>

int main() {
  const onehop::context job = onehop::join();
  const auto window = onehop::window::allocate(job, 64);
  onehop::put_chain chain(job, window);
  chain.commit();
  chain.start();
  chain.wait();
  onehop::barrier(job);
  if (job.rank() == 0) std::printf("%d ranks\n", job.size());
}
