#pragma once
#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "fathom/excite/samples.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::excite {

/// A column beside those of a structure's parameters: in each row a sum of columns of Samples::wrench.
struct ErrorColumn {
  struct Part {
    int row, column;
    double coefficient;
  };
  std::vector<Part> parts;
};

/// What samples of a motion tell of the parameters of a structure: G = sum of Y' diag(weight) Y
/// (docs/excitation.md eq. 9), Y the regressor of a sample (docs/model.md eqs. 16 to 18) and weight one number
/// per free velocity. Entries of Y are sums of few features (velocities, accelerations, their products), so G
/// is gathered from products of features; its derivative goes the same way back. One per thread: it holds
/// scratch memory.
class Information {
 public:
  /// With `errors`, G has their rows and columns behind those of the parameters.
  Information(const model::Structure& structure, const Eigen::VectorXd& weight,
              std::span<const ErrorColumn> errors = {});
  ~Information();
  Information(Information&&) noexcept;
  Information& operator=(Information&&) noexcept;
  Information(const Information&) = delete;
  Information& operator=(const Information&) = delete;

  Eigen::Index size() const;
  /// G over all rows of `at`; rows that only fill a block must be zero, `down` included. Does not allocate.
  const Eigen::MatrixXd& matrix(const Samples& at);
  /// Adds to `adjoint` the derivative by nu, nu_dot and down of a number whose derivative by the (symmetric) G
  /// is W.
  void add_gradient(const Samples& at, const Eigen::MatrixXd& W, Samples& adjoint);
  /// The same, written over what stands there; columns that G does not depend on are left as they are.
  void set_gradient(const Samples& at, const Eigen::MatrixXd& W, Samples& adjoint);

 private:
  struct Gathering;
  std::unique_ptr<Gathering> gathering_;
};

}  // namespace fathom::excite
