#include "measure/stopwatch.hpp"

#include "measure/statistics.hpp"

namespace onehop::measure {

stopwatch::stopwatch() {
  sample_recorder empty(1000);
  while (!empty.full()) {
    start();
    empty.add(elapsed().count());
  }
  overhead_ = microseconds(median(empty.values()));
}

}  // namespace onehop::measure
