#pragma once
/// A rank_grid arranges the ranks of a job in rows and columns; each row and each column is a job
/// of its own.

#include <onehop/context.hpp>

namespace graph_search {

/// Rank r is in row r / columns() and column r % columns(). A single row of all ranks is the usual
/// partition of a graph in one dimension.
class rank_grid {
 public:
  /// The constructor is collective. Throws onehop::usage_error on every rank if the number of rows
  /// does not divide the number of ranks.
  rank_grid(const onehop::context& job, int rows);

  const onehop::context& job() const noexcept { return job_; }
  /// Returns the ranks of this rank's row, numbered by their columns.
  const onehop::context& row() const noexcept { return row_; }
  /// Returns the ranks of this rank's column, numbered by their rows.
  const onehop::context& column() const noexcept { return column_; }

  int rows() const noexcept { return column_.size(); }
  int columns() const noexcept { return row_.size(); }

 private:
  rank_grid(const onehop::context& job, int row, int column, bool is_one_row);

  onehop::context job_, row_, column_;
};

}  // namespace graph_search
