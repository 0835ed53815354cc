#pragma once
#include <vector>

#include "fathom/identify/vehicle/fit.hpp"
#include "fathom/identify/vehicle/regression.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::identify::internal {

/// Columns of what is unknown beside theta, after those of Y: delay, then current north and east.
struct Extra {
  bool delay, current;

  Eigen::Index count() const { return (delay ? 1 : 0) + (current ? 2 : 0); }
  Eigen::Index delay_column(Eigen::Index n) const { return n; }
  Eigen::Index current_column(Eigen::Index n) const { return n + (delay ? 1 : 0); }
};

/// m/s, of the difference that gives the current's columns.
inline constexpr double current_step = 1e-3;

/// The supposition, and those with a little more current north and east.
std::vector<Nuisance> with_currents(const Nuisance& at, bool current);

/// Where a fit has come to.
struct FitState {
  Nuisance at;
  Eigen::VectorXd theta;
  Eigen::VectorXd row_sigma;         // rms of each row's residual
  Eigen::VectorXd innovation_sigma;  // rms of what is new in it
  Eigen::VectorXd memory;            // its lag-one correlation
  Eigen::VectorXd least_sigma = {};  // of each row: no residual is believed to be smaller; empty: no limit
  Eigen::MatrixXd prior_root = {};   // R of the rows R theta = prior_value; empty: none
  Eigen::VectorXd prior_value = {};
};

/// docs/identification.md eq. 8a: of each row M_ii times the sensors' sigma of the blurred acceleration, as the
/// split of their samples shows it; in a row with hardly any wrench, as the smoother believes it.
Eigen::VectorXd sensor_sigma(const Regression& regression, const Vec6& nominal_inertia);

/// The least scale of each row before anything is fitted: where hardly any wrench drives it, the force that its
/// own acceleration takes; elsewhere zero.
Eigen::VectorXd first_sigma(const Regression& regression, const Vec6& nominal_inertia);

/// Finds row_sigma, innovation_sigma and memory from the residuals; without memory unless asked for.
void learn_residual(const Regression& regression, FitState& state, bool with_memory);

/// Rows of Y with the columns of delay and current beside them, weighed and whitened: docs/identification.md
/// eqs. 6 and 8; and what the sensors' noise may have added to them, eq. 20.
class WeighedRows {
 public:
  WeighedRows(const Regression& regression, const FitState& state, const Extra& extra, bool with_split);

  /// `take(A, y, D, block)`: y is tau, so that A [theta; 0] - y is the residual at the supposition; D, without
  /// columns where no split is asked for, has the size of A's error.
  template <class Take>
  void pass(const Take& take) const {
    const Eigen::Index n = static_cast<Eigen::Index>(regression_.structure().size());
    const Eigen::Index columns = n + extra_.count();
    Eigen::MatrixXd last;
    regression_.pass(nuisances_, [&](std::span<const RowBlock> blocks) {
      Eigen::MatrixXd all = parallel_map(blocks);
      whiten(all, last, blocks.front().begins);
      take(all.leftCols(columns), all.col(columns), all.rightCols(with_split_ ? n : 0), blocks.front());
    });
  }

 private:
  /// [A y D], weighed.
  Eigen::MatrixXd parallel_map(std::span<const RowBlock> blocks) const;
  /// Takes from each row what it remembers of the one before (Prais and Winsten 1954).
  void whiten(Eigen::MatrixXd& with, Eigen::MatrixXd& last, bool begins) const;

  const Regression& regression_;
  const FitState& state_;
  Extra extra_;
  bool with_split_;
  std::vector<Nuisance> nuisances_;
};

/// All of them, and what is known before of the current and of the parameters as a row each: eqs. 7 and 9a.
solve::Rows weighed_rows(const Regression& regression, const FitState& state, const Extra& extra,
                         double current_sigma);

/// What the sensors' noise added to A'A, as the two halves of their samples show it: D'D of eq. 20.
Eigen::MatrixXd noise_gram(const Regression& regression, const FitState& state, const Extra& extra);

/// m_t of eq. 10, a column for each sample, about their mean; and the residuals themselves.
Eigen::MatrixXd moments(const Regression& regression, const FitState& state, const Extra& extra,
                        double noise_share, Residuals& residuals);

}  // namespace fathom::identify::internal
