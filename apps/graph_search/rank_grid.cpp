#include "rank_grid.hpp"

#include <onehop/error.hpp>

#include <string>

namespace graph_search {
namespace {

int columns_of(const onehop::context& job, int rows) {
  if (rows < 1 || job.size() % rows != 0)
    throw onehop::usage_error(std::to_string(job.size()) + " ranks cannot stand in " +
                              std::to_string(rows) + " rows of equal length");
  return job.size() / rows;
}

}  // namespace

rank_grid::rank_grid(const onehop::context& job, int rows)
    : rank_grid(job, job.rank() / columns_of(job, rows), job.rank() % columns_of(job, rows),
                rows == 1) {}

rank_grid::rank_grid(const onehop::context& job, int row, int column, bool is_one_row)
    : job_(job), row_(is_one_row ? job : *job.split(row)), column_(*job.split(column)) {}

}  // namespace graph_search
