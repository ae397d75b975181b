// Heat on a square, divided in stripes of rows: each step needs one row of either neighbour.
#include <onehop/collectives.hpp>
#include <onehop/put_chain.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

constexpr int size = 48;
constexpr int steps = 200;

class stripe {
 public:
  explicit stripe(const onehop::context& job)
      : rows_(size / job.size()),
        field_((rows_ + 2) * size, 0.0),
        next_(field_),
        window_(onehop::window::allocate(job, 2 * row_bytes)),
        chain_(job, window_) {
    const int above = (job.rank() + job.size() - 1) % job.size();
    const int below = (job.rank() + 1) % job.size();
    // My first row is the lower ghost of the rank above, my last the upper ghost of the one below.
    to_above_ = chain_.push(onehop::put::packed(row_bytes, above, row_bytes));
    to_below_ = chain_.push(onehop::put::packed(row_bytes, below, 0));
    // In the order of the pushes that they answer, for then both neighbours may be one rank.
    from_below_ = chain_.add_origin(below);
    from_above_ = chain_.add_origin(above);
    chain_.commit();
    if (job.rank() == 0) field_[1 * size + size / 2] = 1000.0;
  }

  void step() {
    std::memcpy(chain_.target_view(to_above_).data(), row(1), row_bytes);
    std::memcpy(chain_.target_view(to_below_).data(), row(rows_), row_bytes);
    chain_.start();
    for (int y = 2; y < rows_; ++y) relax(y);  // needs no ghost
    chain_.wait();
    std::memcpy(row(0), chain_.arrived(from_above_).data(), row_bytes);
    std::memcpy(row(rows_ + 1), chain_.arrived(from_below_).data(), row_bytes);
    relax(1);
    if (rows_ > 1) relax(rows_);
    field_.swap(next_);
  }

  double sum_of_squares() const {
    double sum = 0;
    for (int i = size; i < (rows_ + 1) * size; ++i) sum += field_[i] * field_[i];
    return sum;
  }

 private:
  static constexpr std::size_t row_bytes = size * sizeof(double);

  double* row(int y) { return field_.data() + y * size; }

  void relax(int y) {
    for (int x = 0; x < size; ++x) {
      const double* here = row(y);
      const double around =
          here[(x + 1) % size] + here[(x + size - 1) % size] + row(y - 1)[x] + row(y + 1)[x];
      next_[y * size + x] = 0.5 * here[x] + 0.125 * around;
    }
  }

  int rows_;
  std::vector<double> field_, next_;
  onehop::window window_;
  onehop::put_chain chain_;
  onehop::put_slot to_above_, to_below_;
  onehop::notification from_above_, from_below_;
};

int main() {
  const onehop::context job = onehop::join();
  stripe heat(job);
  for (int n = 0; n < steps; ++n) heat.step();
  double sum = heat.sum_of_squares();
  onehop::allreduce_sum(job, std::span(&sum, 1));
  if (job.rank() == 0) std::printf("sum of squares after %d steps: %.6f\n", steps, sum);
}
