#pragma once
#include <cstddef>

// The loops over samples, eight at a time. They are compiled for several instruction sets and chosen when the
// program runs; every set gives the same bits, because each of the eight lanes does the same sums in the same
// order and nothing is fused. The headers kernel*.hpp include nothing of the standard library: an inline
// function compiled for AVX here could be linked into code for any processor.

namespace fathom::excite::internal {

inline constexpr int lanes = 8;

/// One number from its lanes, always in this order.
inline double sum_of_lanes(const double* s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/// Bernstein polynomials (or derivatives) of one piece at its samples: values[(block * points + point) *
/// lanes].
struct Table {
  const double* values;
  int blocks, points;
};

/// Columns over samples; those of held coordinates are there too, with rates of zero.
struct Columns {
  const double *pose[6], *rate[6], *acceleration[6];
  const double* mask;  // 1 for a sample, 0 for what only fills a block
};
struct BodyColumns {
  double *nu[6], *nu_dot[6], *down[3];
};
struct AdjointColumns {
  double *pose[6], *rate[6], *acceleration[6];
  const double *nu[6], *nu_dot[6], *down[3];
};

/// base[a] base[b], or |base[a]| base[b], or base[a] alone.
struct Feature {
  enum Kind : int { plain, product, absolute_product };
  Kind kind;
  int a, b;
};
/// Feature products that information needs: for each first feature, its partners.
struct Pairs {
  const Feature* features;
  int feature_count;
  const int* begin;           // feature_count + 1 offsets into `second`
  const int* second;          // >= first
  const double* const* base;  // columns
  const int* used;            // those of them that features have
  int used_count;
};
/// The same pairs seen from each feature, with weights.
struct Partners {
  const int* begin;  // feature_count + 1
  const int* other;
  const double* weight;
};

inline constexpr int most_features = 176, most_base = 96;

/// Whether derivatives are added to what stands in their columns, or written over it.
enum class Onto { what_is_there, nothing };

struct Kernel {
  const char* name;
  /// out[k] = table' c[k] for each of `count` columns.
  void (*sample)(const Table& table, const double* const* c, int count, double* const* out);
  /// sums[k][point * lanes + lane] += table out[k]: what c[k] gets of it, still by lane.
  void (*sample_adjoint)(const Table& table, const double* const* out, int count, double* const* sums);
  /// From world to body, for yaw alone or for all angles. `blocks` blocks of samples.
  void (*to_body)(const Columns& world, const BodyColumns& body, int blocks, bool all_angles);
  /// Its transpose: to the world's adjoints.
  void (*to_body_adjoint)(const Columns& world, const BodyColumns& body, const AdjointColumns& adjoint,
                          int blocks, bool all_angles, Onto onto);
  /// sums[pair * lanes + lane] += products of features.
  void (*accumulate)(const Pairs& pairs, int blocks, double* sums);
  /// To adjoint[a] for each base column that is used.
  void (*accumulate_adjoint)(const Pairs& pairs, const Partners& partners, int blocks, double* const* adjoint,
                             Onto onto);
  /// out = a b, n x n, of symmetric matrices that commute, row by row. `stride`: from row to row and the number
  /// of rows, whole blocks; what lies beyond n is zero and stays so.
  void (*multiply)(const double* a, const double* b, int n, int stride, double* out);
};

extern const Kernel kernel_generic, kernel_avx2, kernel_avx512;

/// The fastest that this processor runs.
const Kernel& kernel();
/// All that it runs, for tests and benchmarks: up to three.
int kernels(const Kernel** out);
/// Another one from now on, likewise; not while other threads use it.
void use_kernel(const Kernel& kernel);

}  // namespace fathom::excite::internal
