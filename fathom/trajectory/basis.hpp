#pragma once
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace fathom::trajectory {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// rows x + start a + end b: linear functions of the free numbers x of one coordinate, which begins at `a` and
/// ends at `b`.
struct AffineRows {
  SparseRows rows;
  Eigen::VectorXd start, end;

  Eigen::VectorXd operator()(const Eigen::VectorXd& x, double a, double b) const {
    return rows * x + a * start + b * end;
  }
};

/// One coordinate of a twice continuously differentiable curve that begins and ends at rest (no rate, no
/// acceleration), as a function of its free numbers: the control points that continuity and rest leave.
/// docs/excitation.md eqs. 1 to 3.
struct Basis {
  std::vector<double> knots;  ///< of the pieces, s
  int degree = 0;             ///< of the pieces
  std::vector<int> segment;   ///< of each piece: segments are what bounds are stated for
  AffineRows points;          ///< the pieces' control points, degree + 1 per piece

  Eigen::Index size() const { return points.rows.cols(); }
};

/// One piece per segment; Panetsos, eqs. 8, 9, with eqs. 13 and 14 eliminated: the first three control points
/// of a segment follow from the last three of the one before (87 free numbers for 5 segments of degree 20).
/// Throws InputError unless durations are > 0 and the degree is 5 to 60 (6 or more for one segment).
Basis bezier_basis(std::span<const double> durations, int degree);

/// Cubic B-spline, `intervals` equal knot intervals in each segment. Its pieces are the intervals; K of them
/// have K - 3 free coefficients. Throws InputError unless durations are > 0 and there are four intervals or
/// more.
Basis spline_basis(std::span<const double> durations, std::span<const int> intervals);

/// What encloses the curve: each row is a control point of the curve (or of its rate or acceleration) on a part
/// of a segment, and the curve there lies between the least and the largest. docs/excitation.md eqs. 4, 5.
struct Enclosure {
  enum class Kind { pose, rate, acceleration };
  struct Label {
    Kind kind;
    int segment;
    double begin, end;  ///< s, of the part
  };
  AffineRows values;
  std::vector<Label> labels;
};

/// The control polygons of the pieces, each cut into `parts` equal parts by de Casteljau: 1 is the paper's hull
/// (Panetsos, eqs. 11, 12); more parts hug the curve, and stay linear in x. A point that two parts of one
/// segment share stands once, as the last of the earlier part; at a border of segments it stands once for each.
/// Rows are in the order of time: by part, then by kind. Throws InputError unless parts is 1 to 1000.
Enclosure enclose(const Basis& basis, int parts);

}  // namespace fathom::trajectory
