#include "studies/excitation/noise_study.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/gaussian_taps.hpp"
#include "fathom/base/random.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/excite/accuracy.hpp"
#include "fathom/fields/yaml_values.hpp"

namespace fathom::studies {
namespace {

using excite::Grid;
using excite::Problem;
using excite::Range;

constexpr double kernel_reach = 6;     // of the kernel, in standard deviations: 1e-8 of its peak is left
constexpr double least_samples = 1.5;  // per standard deviation: what folds over at the sampling rate is 1e-19
constexpr std::size_t largest_truth_file = 1u << 16;

/// Where the kernel lies on the data as a whole.
Eigen::ArrayXd filtered(const Eigen::VectorXd& taps, const Eigen::Ref<const Eigen::ArrayXd>& data) {
  const Eigen::Index n = data.size() - taps.size() + 1;
  Eigen::ArrayXd out = Eigen::ArrayXd::Zero(n);
  for (Eigen::Index k = 0; k < taps.size(); ++k) out += taps[k] * data.segment(k, n);
  return out;
}

/// Samples that stand at whole multiples of the sampling.
Eigen::Index regular_samples(const Problem& problem, const Grid& grid) {
  Eigen::Index n = 0;
  while (n < grid.t.size() && grid.mask[n] != 0 &&
         std::abs(grid.t[n] - static_cast<double>(n) * problem.sampling) < 1e-6 * problem.sampling)
    ++n;
  return n;
}

/// Repeats the identification of one motion.
class Identification {
 public:
  Identification(const Problem& problem, const Eigen::VectorXd& truth, const Grid& grid)
      : problem_(problem),
        radius_(static_cast<Eigen::Index>(std::ceil(kernel_reach * filter_width(problem) / problem.sampling))),
        taps_(filter_width(problem), problem.sampling, radius_),
        free_(model::free_indices(problem.structure.dof)),
        scale_(excite::parameter_scales(problem)),
        weight_(excite::row_weights(problem)),
        samples_(grid.samples),
        n_(regular_samples(problem, grid)) {
    const Eigen::Index least = 4 * radius_;
    if (n_ < least)
      reject(
          problem.file, 0, "duration",
          fmt::format("= {:g} s is too short to identify from: a filter of {:.3g} s needs {:g} s",
                      problem.duration(), filter_width(problem), static_cast<double>(least) * problem.sampling),
          "a longer motion, or quicker limits");
    tau_.resize(n_, rows());
    for (Eigen::Index i = 0; i < n_; ++i) {
      const dynamics::Motion motion{samples_.nu.row(i).transpose(), samples_.nu_dot.row(i).transpose(),
                                    samples_.down.row(i).transpose()};
      tau_.row(i) = (dynamics::regressor(problem.structure, motion) * truth).transpose().array();
    }
  }

  /// Least squares on one draw of the noise.
  Eigen::VectorXd parameters(RandomStream random) const {
    Eigen::ArrayXXd nu = samples_.nu.topRows(n_), tau = tau_;
    for (Eigen::Index i = 0; i < n_; ++i)
      for (Eigen::Index r = 0; r < rows(); ++r) {
        const int axis = free_[static_cast<std::size_t>(r)];
        const bool turns = axis >= 3;
        nu(i, axis) += (turns ? problem_.noise.turn_rate : problem_.noise.velocity) * random.normal();
        tau(i, r) += (turns ? problem_.noise.torque : problem_.noise.force) * random.normal();
      }
    const Eigen::ArrayXXd Y = regressors(nu);
    const Eigen::Index unknowns = scale_.size(), count = Y.rows();
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(unknowns, unknowns);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(unknowns);
    Eigen::MatrixXd Y_r(count, unknowns);
    for (Eigen::Index r = 0; r < rows(); ++r) {
      for (Eigen::Index c = 0; c < unknowns; ++c) Y_r.col(c) = scale_[c] * Y.col(c * rows() + r).matrix();
      G.selfadjointView<Eigen::Lower>().rankUpdate(Y_r.transpose(), weight_[r]);
      b += weight_[r] * (Y_r.transpose() * filtered(taps_.value, tau.col(r)).matrix());
    }
    const Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> cholesky(G);
    if (cholesky.info() != Eigen::Success)
      reject(problem_.file, 0, "structure",
             "has parameters that the motion does not show: least squares is singular",
             "another motion, or fewer parameters");
    return scale_.cwiseProduct(cholesky.solve(b));
  }

 private:
  Eigen::Index rows() const { return static_cast<Eigen::Index>(free_.size()); }

  /// Filtered regressors of noisy velocities; column c * rows + r is entry (r, c). Y is a sum of a part with
  /// products of velocities and a part linear in nu_dot: the first is filtered, the second is had from h' * nu.
  Eigen::ArrayXXd regressors(const Eigen::ArrayXXd& nu) const {
    const auto unknowns = static_cast<Eigen::Index>(problem_.structure.size());
    const Eigen::Index count = n_ - 2 * radius_;
    Eigen::MatrixXd Y(rows(), unknowns);
    Eigen::ArrayXXd products(n_, Y.size()), out(count, Y.size()), nu_dot = Eigen::ArrayXXd::Zero(count, 6);
    for (Eigen::Index i = 0; i < n_; ++i) {
      dynamics::regressor(problem_.structure,
                          {nu.row(i).transpose(), Vec6::Zero(), samples_.down.row(i).transpose()}, Y);
      products.row(i) = Y.reshaped().transpose().array();
    }
    for (Eigen::Index c = 0; c < Y.size(); ++c) {
      if ((products.col(c) == 0).all())
        out.col(c).setZero();
      else
        out.col(c) = filtered(taps_.value, products.col(c));
    }
    for (const int axis : free_) nu_dot.col(axis) = filtered(taps_.rate, nu.col(axis));
    for (Eigen::Index i = 0; i < count; ++i) {
      dynamics::regressor(problem_.structure, {Vec6::Zero(), nu_dot.row(i).transpose(), Vec3::Zero()}, Y);
      out.row(i) += Y.reshaped().transpose().array();
    }
    return out;
  }

  const Problem& problem_;
  Eigen::Index radius_;  // of the Gaussian filter, in samples
  GaussianTaps taps_;
  std::span<const int> free_;
  Eigen::VectorXd scale_, weight_;
  const excite::Samples& samples_;
  Eigen::Index n_;
  Eigen::ArrayXXd tau_;  // n x free rows, without noise
};

}  // namespace

double filter_width(const Problem& problem) {
  double shortest = infinity;
  for (const excite::Segment& segment : problem.segments)
    for (const int coordinate : problem.coordinates()) {
      const auto c = static_cast<std::size_t>(coordinate);
      const Range &rate = segment.limits.rate[c], &acceleration = segment.limits.acceleration[c];
      shortest =
          std::min(shortest, std::max(-rate.min, rate.max) / std::max(-acceleration.min, acceleration.max));
    }
  return std::max(std::isfinite(shortest) ? shortest / 3 : 0.0, least_samples * problem.sampling);
}

NoiseStudy study_noise(const Problem& problem, const Eigen::VectorXd& truth, const Grid& grid, WorkerPool& pool,
                       const NoiseStudyOptions& options) {
  if (options.draws < 1) reject("draws", fmt::format("= {}, must be >= 1", options.draws));
  Problem without_priors = problem;
  without_priors.priors.clear();
  const Identification identification(problem, truth, grid);
  const Eigen::VectorXd scale = excite::parameter_scales(problem);
  Eigen::MatrixXd errors = Eigen::MatrixXd::Zero(scale.size(), options.draws);
  int done = 0;
  pool.run(
      options.draws,
      [&](int k, const std::function<bool()>&) {
        RandomStream random(options.seed, fmt::format("noise draw {}", k));
        const Eigen::VectorXd found = identification.parameters(random);
        return std::vector<double>(found.begin(), found.end());
      },
      [&](int k, const std::vector<double>& found) {
        const Eigen::Map<const Eigen::VectorXd> theta(found.data(), scale.size());
        errors.col(k) = (theta - truth).cwiseQuotient(scale);
        ++done;
        return true;
      });
  // Fewer than asked for where the user interrupted; the others' columns are zero.
  const double count = done, unknowns = static_cast<double>(scale.size());
  NoiseStudy study;
  study.draws = done;
  if (done == 0) return study;
  study.rms = (errors.rowwise().squaredNorm() / count).cwiseSqrt();
  study.mean = errors.rowwise().sum() / count;
  study.error = std::sqrt(study.rms.squaredNorm() / unknowns);
  study.bias = std::sqrt(study.mean.squaredNorm() / unknowns);
  study.predicted = excite::accuracy_of(without_priors, grid.samples).error;
  study.filter = filter_width(problem);
  return study;
}

Eigen::VectorXd read_truth(const std::filesystem::path& path, const model::Structure& structure) {
  yaml::Reading reading(path.string());
  const YAML::Node document =
      yaml::parse_document(read_file(path, largest_truth_file), path.string(), "one set of parameters per file",
                           "a parameter and its value: 'm11: 24'");
  yaml::Map map(yaml::Field(document, "", reading));
  Eigen::VectorXd values(static_cast<Eigen::Index>(structure.size()));
  std::vector<std::string> names;  // a map keeps views of them
  for (const model::Term& term : structure.terms) names.push_back(model::name_of(term));
  for (std::size_t k = 0; k < structure.size(); ++k)
    if (const auto field = map.require(names[k], unit_of(structure.terms[k])))
      values[static_cast<Eigen::Index>(k)] = field->number(unit_of(structure.terms[k])).value_or(0);
  map.finish();
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  return values;
}

}  // namespace fathom::studies
