/// This program passes the items of onehop bench stream with ZeroMQ. Its ranks are threads, because
/// inproc does not connect processes. Over ipc each rank has its own context, as a process would:
/// zmq_peer FOLDER CORES SIZE

#include <barrier>
#include <thread>
#include <vector>

#include "benchmarks/peers/serve.hpp"
#include "benchmarks/peers/zmq_items.hpp"

using namespace onehop::bench;

namespace {

void add_stream(workshop& shop, const std::string& method, const zmq_context& job,
                const std::string& place) {
  // Every rank makes the same contenders in the same order, so that both ranks of a pair count
  // alike.
  auto made = std::make_shared<int>(0);
  shop.add_stream<zmq_items>(method, [=](const ring_faces& faces) {
    const std::string number = std::to_string(faces.rank / 2) + "." + std::to_string((*made)++);
    return zmq_items(job, faces, method, method + "://" + place + number);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: zmq_peer FOLDER CORES SIZE\n");
    return 2;
  }
  const std::string folder = argv[1], cores = argv[2];
  const int size = std::atoi(argv[3]);
  const zmq_context common = make_zmq_context();
  std::barrier meeting(size);
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < size; ++rank)
    ranks.emplace_back([&, rank] {
      workshop shop;
      add_stream(shop, "inproc", common, "items-");
      add_stream(shop, "ipc", make_zmq_context(), folder + "/items-");
      pin(cores, rank);
      server(shop, rank, size, [&] { meeting.arrive_and_wait(); }).serve(folder);
    });
  ranks.clear();
  return 0;
}
