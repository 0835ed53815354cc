// What of Eigen is large, the same everywhere and inlined nowhere: products of matrices of any size, and
// decompositions. It is compiled once, in eigen_templates.cpp, and declared to everyone else by the precompiled
// headers (cmake/FathomHeaders.cmake). A third of all code that was generated used to be further copies of it.
// A program that does not see this file makes copies of its own, as ever. Read twice on purpose: FATHOM_EIGEN
// is `extern` for everyone, and nothing for eigen_templates.cpp.
#include <Eigen/Dense>

#if EIGEN_WORLD_VERSION == 3 && EIGEN_MAJOR_VERSION == 4  // names of its insides
#ifndef FATHOM_EIGEN
#define FATHOM_EIGEN extern
#endif

#ifndef FATHOM_EIGEN_NAMES
#define FATHOM_EIGEN_NAMES
namespace fathom::internal {
using EigenMatrix = Eigen::MatrixXd;
using EigenVector = Eigen::VectorXd;
using EigenMat6 = Eigen::Matrix<double, 6, 6>;
using EigenVec6 = Eigen::Matrix<double, 6, 1>;
using EigenBlock = Eigen::Block<EigenMatrix, Eigen::Dynamic, Eigen::Dynamic, false>;
using Gebp = Eigen::internal::gebp_traits<double, double>;
template <int Order>
using EigenFrom = Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Order>;
using EigenInto = Eigen::internal::blas_data_mapper<double, Eigen::Index, Eigen::ColMajor, 0, 1>;
}  // namespace fathom::internal
#endif

namespace Eigen::internal {
// Matrix times matrix: Eigen/src/Core/products/GeneralBlockPanelKernel.h and GeneralMatrixMatrix.h.
FATHOM_EIGEN template struct gebp_kernel<double, double, Index, fathom::internal::EigenInto,
                                         fathom::internal::Gebp::mr, fathom::internal::Gebp::nr, false, false>;
#define FATHOM_PACK_LHS(FROM, ORDER, PANEL)                                                   \
  FATHOM_EIGEN template struct gemm_pack_lhs<double, Index, FROM, fathom::internal::Gebp::mr, \
                                             fathom::internal::Gebp::LhsProgress,             \
                                             fathom::internal::Gebp::LhsPacket4Packing, ORDER, false, PANEL>
FATHOM_PACK_LHS(fathom::internal::EigenFrom<ColMajor>, ColMajor, false);
FATHOM_PACK_LHS(fathom::internal::EigenFrom<RowMajor>, RowMajor, false);
FATHOM_PACK_LHS(fathom::internal::EigenInto, ColMajor, true);
#undef FATHOM_PACK_LHS
#define FATHOM_PACK_RHS(FROM, ORDER, PANEL)                                                                 \
  FATHOM_EIGEN template struct gemm_pack_rhs<double, Index, FROM, fathom::internal::Gebp::nr, ORDER, false, \
                                             PANEL>
FATHOM_PACK_RHS(fathom::internal::EigenFrom<ColMajor>, ColMajor, false);
FATHOM_PACK_RHS(fathom::internal::EigenFrom<ColMajor>, ColMajor, true);
FATHOM_PACK_RHS(fathom::internal::EigenFrom<RowMajor>, RowMajor, false);
FATHOM_PACK_RHS(fathom::internal::EigenFrom<RowMajor>, RowMajor, true);
FATHOM_PACK_RHS(fathom::internal::EigenInto, ColMajor, true);
#undef FATHOM_PACK_RHS
FATHOM_EIGEN template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, ColMajor,
                                                           false, ColMajor, 1>;
FATHOM_EIGEN template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, RowMajor,
                                                           false, ColMajor, 1>;
FATHOM_EIGEN template struct general_matrix_matrix_product<Index, double, RowMajor, false, double, ColMajor,
                                                           false, ColMajor, 1>;
FATHOM_EIGEN template void evaluateProductBlockingSizesHeuristic<double, double, 1, Index>(Index&, Index&,
                                                                                           Index&, Index);
FATHOM_EIGEN template void evaluateProductBlockingSizesHeuristic<double, double, 4, Index>(Index&, Index&,
                                                                                           Index&, Index);

// Matrix times vector: GeneralMatrixVector.h.
#define FATHOM_GEMV(LHS, RHS, VERSION)                                                                        \
  FATHOM_EIGEN template struct general_matrix_vector_product<Index, double, fathom::internal::EigenFrom<LHS>, \
                                                             LHS, false, double,                              \
                                                             fathom::internal::EigenFrom<RHS>, false, VERSION>
FATHOM_GEMV(ColMajor, ColMajor, 0);
FATHOM_GEMV(ColMajor, RowMajor, 0);
FATHOM_GEMV(RowMajor, ColMajor, 0);
FATHOM_GEMV(RowMajor, RowMajor, 1);
#undef FATHOM_GEMV

// Triangular and symmetric ones: TriangularMatrixMatrix.h, TriangularMatrixVector.h, TriangularSolverMatrix.h,
// SelfadjointMatrixVector.h.
#define FATHOM_TRMM(MODE, ORDER)                                                                         \
  FATHOM_EIGEN template struct product_triangular_matrix_matrix<double, Index, MODE, true, ORDER, false, \
                                                                ColMajor, false, ColMajor, 1, 0>
FATHOM_TRMM(Lower, ColMajor);
FATHOM_TRMM(UnitLower, ColMajor);
FATHOM_TRMM(Upper, RowMajor);
FATHOM_TRMM(UnitUpper, RowMajor);
#undef FATHOM_TRMM
FATHOM_EIGEN template struct triangular_matrix_vector_product<Index, UnitUpper, double, false, double, false,
                                                              RowMajor, 0>;
FATHOM_EIGEN template struct selfadjoint_matrix_vector_product<double, Index, ColMajor, Lower, false, false, 0>;
#define FATHOM_TRSM(SIDE, MODE, ORDER) \
  FATHOM_EIGEN template struct triangular_solve_matrix<double, Index, SIDE, MODE, false, ORDER, ColMajor, 1>
FATHOM_TRSM(OnTheLeft, Lower, ColMajor);
FATHOM_TRSM(OnTheLeft, Upper, ColMajor);
FATHOM_TRSM(OnTheLeft, UnitLower, ColMajor);
FATHOM_TRSM(OnTheLeft, Upper, RowMajor);
FATHOM_TRSM(OnTheLeft, UnitUpper, RowMajor);
FATHOM_TRSM(OnTheRight, Upper, RowMajor);
#undef FATHOM_TRSM

// Reflections: Eigen/src/Householder/BlockHouseholder.h.
FATHOM_EIGEN template void apply_block_householder_on_the_left(fathom::internal::EigenBlock&,
                                                               const fathom::internal::EigenBlock&,
                                                               const VectorBlock<const VectorXd>&, bool);
FATHOM_EIGEN template void apply_block_householder_on_the_left(
    fathom::internal::EigenBlock&, const Block<const MatrixXd, Dynamic, Dynamic, false>&,
    const VectorBlock<const VectorXd>&, bool);
}  // namespace Eigen::internal

// Decompositions of matrices of any size and of 6x6, and what they solve.
namespace Eigen {
#define FATHOM_CHOLESKY(KIND, MATRIX) \
  FATHOM_EIGEN template KIND<MATRIX>& KIND<MATRIX>::compute(const EigenBase<MATRIX>&)
FATHOM_CHOLESKY(LLT, MatrixXd);
FATHOM_CHOLESKY(LLT, fathom::internal::EigenMat6);
FATHOM_CHOLESKY(LDLT, MatrixXd);
FATHOM_CHOLESKY(LDLT, fathom::internal::EigenMat6);
#undef FATHOM_CHOLESKY
FATHOM_EIGEN template void PartialPivLU<MatrixXd>::compute();
FATHOM_EIGEN template void PartialPivLU<fathom::internal::EigenMat6>::compute();
FATHOM_EIGEN template void FullPivLU<MatrixXd>::computeInPlace();
FATHOM_EIGEN template void HouseholderQR<MatrixXd>::computeInPlace();
FATHOM_EIGEN template void ColPivHouseholderQR<MatrixXd>::computeInPlace();
FATHOM_EIGEN template void CompleteOrthogonalDecomposition<MatrixXd>::computeInPlace();
FATHOM_EIGEN template JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned int);
FATHOM_EIGEN template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
FATHOM_EIGEN template GeneralizedSelfAdjointEigenSolver<MatrixXd>&
GeneralizedSelfAdjointEigenSolver<MatrixXd>::compute(const MatrixXd&, const MatrixXd&, int);

#define FATHOM_SOLVE(KIND, MATRIX, RIGHT) \
  FATHOM_EIGEN template void KIND<MATRIX>::_solve_impl(const RIGHT&, RIGHT&) const
FATHOM_SOLVE(LLT, MatrixXd, VectorXd);
FATHOM_SOLVE(LLT, MatrixXd, MatrixXd);
FATHOM_SOLVE(LDLT, MatrixXd, VectorXd);
FATHOM_SOLVE(LDLT, MatrixXd, MatrixXd);
FATHOM_SOLVE(LDLT, fathom::internal::EigenMat6, fathom::internal::EigenVec6);
FATHOM_SOLVE(FullPivLU, MatrixXd, VectorXd);
FATHOM_SOLVE(HouseholderQR, MatrixXd, VectorXd);
FATHOM_SOLVE(ColPivHouseholderQR, MatrixXd, VectorXd);
FATHOM_SOLVE(CompleteOrthogonalDecomposition, MatrixXd, VectorXd);
#undef FATHOM_SOLVE
}  // namespace Eigen
#endif
#undef FATHOM_EIGEN
