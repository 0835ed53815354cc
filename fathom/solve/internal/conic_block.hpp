#pragma once
#include <array>
#include <cmath>
#include <type_traits>

/// Symmetric m x m matrices of a few rows, all entries stored. `Size` is an integral_constant up to 6, so that
/// loops unroll and nothing is on the heap, and an int above.
namespace fathom::solve::internal::block {

constexpr int most_rows = 12;

/// Calls work(size) with a constant size where there is one.
template <class Work>
decltype(auto) with_size(int m, Work&& work) {
  switch (m) {
    case 1: return work(std::integral_constant<int, 1>{});
    case 2: return work(std::integral_constant<int, 2>{});
    case 3: return work(std::integral_constant<int, 3>{});
    case 4: return work(std::integral_constant<int, 4>{});
    case 5: return work(std::integral_constant<int, 5>{});
    case 6: return work(std::integral_constant<int, 6>{});
    default: return work(m);
  }
}

template <class Size>
constexpr int rows_of() {
  if constexpr (std::is_same_v<Size, int>)
    return most_rows;
  else
    return Size::value;
}
template <class Size>
using Square = std::array<double, rows_of<Size>() * rows_of<Size>()>;

/// L D L' of S + share dS by columns, unit L below the diagonal of `L`, D in `pivots`; false unless positive
/// definite.
template <class Size>
bool factor(Size m, const double* S, const double* dS, double share, Square<Size>& L, double* pivots) {
  for (int j = 0; j < m; ++j)
    for (int i = j; i < m; ++i) L[i + j * m] = S[i + j * m] + share * dS[i + j * m];
  for (int j = 0; j < m; ++j) {
    const double pivot = L[j + j * m];
    if (!(pivot > 0)) return false;
    pivots[j] = pivot;
    const double per_pivot = 1 / pivot;
    for (int k = j + 1; k < m; ++k) {
      const double ratio = L[k + j * m] * per_pivot;
      for (int i = k; i < m; ++i) L[i + k * m] -= ratio * L[i + j * m];
    }
    for (int i = j + 1; i < m; ++i) L[i + j * m] *= per_pivot;
  }
  return true;
}

template <class Size>
bool is_positive(Size m, const double* S, const double* dS, double share) {
  Square<Size> L;
  std::array<double, rows_of<Size>()> pivots;
  return factor(m, S, dS, share, L, pivots.data());
}

/// V = S^-1, and log det S is added to `log_det` where given; false unless S is positive definite.
template <class Size>
bool invert(Size m, const double* S, double* V, double* log_det) {
  Square<Size> L;
  std::array<double, rows_of<Size>()> pivots;
  if (!factor(m, S, S, 0, L, pivots.data())) return false;
  for (int j = 0; j < m; ++j)  // L^-1 in place, by columns
    for (int i = j + 1; i < m; ++i) {
      double sum = L[i + j * m];
      for (int k = j + 1; k < i; ++k) sum += L[i + k * m] * L[k + j * m];
      L[i + j * m] = -sum;
    }
  for (int k = 0; k < m; ++k) {
    if (log_det != nullptr) *log_det += std::log(pivots[k]);
    pivots[k] = 1 / pivots[k];
    L[k + k * m] = 1;
  }
  for (int j = 0; j < m; ++j)
    for (int i = j; i < m; ++i) {
      double sum = 0;
      for (int k = i; k < m; ++k) sum += L[k + i * m] * pivots[k] * L[k + j * m];
      V[i + j * m] = V[j + i * m] = sum;
    }
  return true;
}

/// Y = the symmetric part of A B C, all symmetric.
template <class Size>
void symmetric_product(Size m, const double* A, const double* B, const double* C, double* Y) {
  Square<Size> T, U;
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int k = 0; k < m; ++k) sum += B[i + k * m] * C[k + j * m];
      T[i + j * m] = sum;
    }
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int k = 0; k < m; ++k) sum += A[i + k * m] * T[k + j * m];
      U[i + j * m] = sum;
    }
  for (int j = 0; j < m; ++j)
    for (int i = j; i < m; ++i) Y[i + j * m] = Y[j + i * m] = 0.5 * (U[i + j * m] + U[j + i * m]);
}

}  // namespace fathom::solve::internal::block
