#pragma once
#include <array>

#include <Eigen/Core>
#include <Eigen/LU>

namespace fathom::solve::internal {

/// Limited-memory BFGS matrix in compact form (Byrd, Nocedal, Schnabel 1994, theorem 2.3):
///   B = sigma I - W M^-1 W',   W = [sigma S, Y],   M = [sigma S'S, L; L', -D]
/// over the latest pairs of steps s and changes of the gradient y, with Powell's damping: always positive
/// definite. Columns stand pair by pair: s y s y ...
class CompactBfgs {
 public:
  static constexpr int most_pairs = 20;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 2 * most_pairs, 2 * most_pairs>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 2 * most_pairs, 1>;

  explicit CompactBfgs(Eigen::Index unknowns);

  void start(int memory);  ///< forgets everything
  void clear() { pairs_ = 0; }
  /// Steps that the search along them had to cut went too far where nothing is known yet: sigma grows.
  void note_step(bool was_cut);
  void add(const Eigen::VectorXd& step, const Eigen::VectorXd& gradient_change);

  double sigma() const { return sigma_; }
  Eigen::Index columns() const { return 2 * pairs_; }
  /// Unknown k's numbers of the columns s y s y ..., s without its factor sigma.
  const double* row(Eigen::Index k) const { return V_.data() + k * 2 * memory_; }
  const Small& M() const { return M_; }

 private:
  void multiply(const Eigen::VectorXd& s, Eigen::VectorXd& B_s);
  void project(const Eigen::VectorXd& v, SmallVector& V_v) const;
  void store(const Eigen::VectorXd& s, const Eigen::VectorXd& y);
  void build_M();

  int memory_ = 0, pairs_ = 0;
  double sigma_ = 1;  ///< curvature along the latest step, times
  double stiffness_ = 1;
  Eigen::VectorXd V_;                   ///< unknowns x 2 memory, row-major
  std::array<long, most_pairs> age_{};  ///< of each pair: larger is later
  long added_ = 0;
  Small SS_, SY_, M_;  ///< s_i's_j and s_i'y_j
  Eigen::PartialPivLU<Small> lu_;
  Eigen::VectorXd s_, y_, B_s_;
};

}  // namespace fathom::solve::internal
