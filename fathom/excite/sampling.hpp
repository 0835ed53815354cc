#pragma once
#include <vector>

#include "fathom/excite/aligned.hpp"
#include "fathom/excite/samples.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/solve/interior_point.hpp"
#include "fathom/trajectory/basis.hpp"
#include "fathom/trajectory/bezier.hpp"

namespace fathom::excite {

namespace internal {
struct Table;
enum class Onto;
}  // namespace internal

/// A path as the free numbers of its coordinates, and the path at its samples, with the transpose of both: x
/// stacks the free numbers of the moving coordinates. Samples stand in blocks of eight that never straddle
/// pieces; rows that only fill a block have mask 0, and all their columns are zero. One per thread: it holds
/// scratch memory.
class Sampling {
 public:
  /// `coordinates`: those that move, of x y z roll pitch yaw; the others stay as they start. `interval` [s]
  /// between samples, the first at the beginning, the last at or before the end.
  Sampling(const trajectory::Basis& basis, std::vector<int> coordinates, const Vec6& start, const Vec6& end,
           double interval, bool with_position);

  Eigen::Index unknowns() const { return static_cast<Eigen::Index>(coordinates_.size()) * basis_.size(); }
  Eigen::Index rows() const { return mask_.size(); }
  Eigen::Index count() const { return count_; }           ///< samples
  const Eigen::ArrayXd& mask() const { return mask_; }    ///< 1 for samples
  const Eigen::ArrayXd& times() const { return times_; }  ///< s, of every row; fillers repeat the one before
  const trajectory::Basis& basis() const { return basis_; }
  const std::vector<int>& coordinates() const { return coordinates_; }

  /// Fills pose, rate, acceleration of what moves (of x, y, z the pose only `with_position`), and what the body
  /// feels (docs/excitation.md eqs. 7, 8). Does not allocate.
  void sample(const Eigen::VectorXd& x, Samples& out);
  /// gradient = the derivative by x of a number whose derivative by the samples is `adjoint`, which is changed:
  /// what hangs on the body's columns is moved to the world's. `at` is what sample() gave.
  void gradient(const Samples& at, Samples& adjoint, Eigen::VectorXd& gradient);
  /// The same of a number that depends on nu, nu_dot and down alone: the world's columns of `adjoint` are
  /// written over.
  void body_gradient(const Samples& at, Samples& adjoint, Eigen::VectorXd& gradient);

  /// Adds up v v' over rows, v the derivative by x of a number of that row whose derivative by the row's
  /// columns is `slope`'s row, which is changed as in `gradient`. Does not allocate.
  void add_squares(const Samples& at, Samples& slope);
  /// Hands the sum over and begins anew.
  void give_squares(solve::Curvature& to);
  /// How many neighbouring free numbers of a coordinate a sample depends on.
  static Eigen::Index reach(const trajectory::Basis& basis);

  /// The path of x: six coordinates.
  trajectory::Bezier path(const Eigen::VectorXd& x) const;

 private:
  struct Piece {
    std::size_t table;  // index into tables_
    Eigen::Index first_row, first_point;
    int blocks;
    Eigen::Index first_free = 0;  // free number that its points depend on
    Eigen::MatrixXd free;         // and how: points x free numbers
  };
  /// Pieces that follow each other and share a table, which is then read once for all of them.
  struct Run {
    std::size_t begin, end;  // of pieces_
  };
  static constexpr std::size_t most_pieces = 4;  // in a run
  static constexpr std::size_t most_columns = most_pieces * 6;
  void make_runs();
  /// Calls visit(piece, position in coordinates_, coordinate) for each column of the run that is sampled.
  template <class Visit>
  void for_each_column(const Run& run, int level, Visit&& visit) const;
  internal::Table table_of(const Run& run, int level) const;
  /// Moves what hangs on the body's columns to the world's.
  void to_world(const Samples& at, Samples& adjoint, internal::Onto onto) const;
  void gradient_by_world(const Samples& adjoint, Eigen::VectorXd& gradient);
  void add_up(const Run& run, const Samples& adjoint);
  void prepare_squares();
  Eigen::Index fill_rows(const Piece& piece, const Samples& slope);
  void transform(const Piece& piece, const double* square);
  void add_tables(double begin, double length, const std::vector<double>& times);

  trajectory::Basis basis_;
  std::vector<int> coordinates_;
  Vec6 start_, end_;
  bool with_position_, all_angles_;
  Eigen::Index count_ = 0;
  Eigen::ArrayXd mask_, times_;
  std::vector<Piece> pieces_;
  std::vector<Run> runs_;
  struct TableSet {
    double length;             // s, of the piece
    std::vector<double> u;     // local times of the samples
    AlignedNumbers values[3];  // value, rate, acceleration
  };
  std::vector<TableSet> tables_;
  Eigen::MatrixXd fixed_;  // control points that start and end alone give, one column per coordinate
  Eigen::MatrixXd points_, points_adjoint_;
  AlignedNumbers sums_;      // of a run, by piece, coordinate, point and lane
  Eigen::MatrixXd squares_;  // a column per piece: v v' by control points and coordinates, row by row
  std::vector<double> rows_, half_, whole_;
};

/// Fills what the body feels from pose, rate and acceleration, for motions that are no Sampling's: checks and
/// baselines. `mask` as in Sampling; the number of rows is a multiple of eight.
void to_body(Samples& samples, const Eigen::ArrayXd& mask, bool all_angles);

}  // namespace fathom::excite
