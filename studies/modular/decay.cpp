// Section 4.3.1 of Nielsen 2019: [r_y r_z D_q D_l] fitted to decays of two spheres, with intervals.
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/parallel_map.hpp"

#include "studies/coverage.hpp"
#include "studies/modular/parts.hpp"
#include "studies/modular/sphere_fit.hpp"
#include "studies/modular/sphere_swing.hpp"

namespace fathom::studies {
namespace {

/// A fit of the pair as one angle, with the half widths of 95 % intervals.
struct ThetaInterval {
  Eigen::Vector4d theta, half;
};

/// identify::fit_decay's covariance allows for residuals that remember and for runs that differ; here it goes
/// through the slope of theta by the rates, with Student's factor of each rate.
ThetaInterval theta_interval(const SpherePair& spheres, const std::vector<identify::DecayRun>& runs) {
  const identify::DecayFit fit = identify::fit_decay(runs);
  Eigen::Vector4d factor;
  for (int k = 0; k < 4; ++k) factor[k] = fit.half_width(k) / std::sqrt(fit.covariance(k, k));
  Eigen::Matrix4d slope;
  const SphereTheta theta = spheres.theta(fit.rates, &slope);
  const Eigen::Matrix4d wide = slope * factor.asDiagonal();
  return {theta.vector(), (wide * fit.covariance * wide.transpose()).diagonal().cwiseSqrt()};
}

class DecayFitStudy {
 public:
  DecayFitStudy(Study& study, const Host& host)
      : study_(study),
        host_(host),
        spheres_{host.robot("nielsen-sphere-hydrostatic")},
        nearest_(theta_interval(spheres_, SphereSwing(spheres_).quiet_campaign()).theta) {}

  void run() {
    check_reduction();
    fit_one_campaign();
    count_campaigns();
  }

 private:
  /// The equation of one angle and the coupled spheres are the same motion.
  void check_reduction() {
    const SphereTheta theta = SphereTheta::printed_fit();
    const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(2400, 0, 119.95);
    const Eigen::VectorXd coupled = swing_spheres(spheres_, theta, t, 0.1, 0.2, 2),
                          angle = identify::simulate_decay(spheres_.rates(theta), t, 0.1, 0.2);
    study_.set("fit.reduction", (coupled - angle).cwiseAbs().maxCoeff());
  }

  void fit_one_campaign() {
    RandomStream random(host_.seed, "modular decay");
    const std::vector<identify::DecayRun> runs = SphereSwing(spheres_).campaign(random);
    const SphereFit one = fit_spheres(spheres_, {runs.front()}, SphereTheta::table_4_2());
    const SphereFit all = fit_spheres(spheres_, runs, one.theta);
    const ThetaInterval one_angle = theta_interval(spheres_, runs);
    const Eigen::Vector4d truth = SphereSwing::truth().vector();
    double apart = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      const std::string name = SphereTheta::names[k];
      study_.set("fit.one." + name, one.theta.vector()[i]);
      study_.set("fit.all." + name, all.theta.vector()[i],
                 fmt::format("+- {:.2g}; fit without noise {:.4g}", one_angle.half[i], nearest_[i]));
      apart = std::max(apart, std::abs(all.theta.vector()[i] - one_angle.theta[i]) / one_angle.half[i]);
      study_.set("fit.off." + name, 100 * (nearest_[i] / truth[i] - 1));
    }
    study_.set("fit.same", apart);
    const SphereFit judged = judge_spheres(spheres_, runs, one.theta);
    for (std::size_t k = 0; k < runs.size(); ++k) study_.set(fmt::format("fit.mse.{}", k + 1), judged.mse[k]);
    study_.set("fit.converged", one.converged && all.converged && judged.converged);
  }

  void count_campaigns() {
    const int campaigns = study_.setting("campaigns");
    struct Fits {
      ThetaInterval all, one;
    };
    const std::vector<Fits> fits = parallel_map(host_.pool, campaigns, [&](int k) {
      RandomStream random(host_.seed, fmt::format("modular decay {}", k));
      const std::vector<identify::DecayRun> runs = SphereSwing(spheres_).campaign(random);
      return Fits{theta_interval(spheres_, runs), theta_interval(spheres_, {runs.front()})};
    });
    for (Eigen::Index i = 0; i < 4; ++i) {
      Coverage all, one;
      double half = 0, square = 0;
      for (const Fits& each : fits) {
        all.add(each.all.theta[i] - nearest_[i], each.all.half[i]);
        one.add(each.one.theta[i] - nearest_[i], each.one.half[i]);
        half += each.all.half[i] / campaigns;
        square += std::pow(each.all.theta[i] - nearest_[i], 2) / campaigns;
      }
      study_.set(fmt::format("fit.held.{}", SphereTheta::names[static_cast<std::size_t>(i)]), all.percent(),
                 fmt::format("+- {:.2g}, errors {:.2g} rms; of one run alone {:.0f} %", half, std::sqrt(square),
                             one.percent()));
    }
  }

  Study& study_;
  const Host& host_;
  SpherePair spheres_;
  Eigen::Vector4d nearest_;  // theta of a fit without noise
};

}  // namespace

void study_decay_fit(Study& study, const Host& host) { DecayFitStudy(study, host).run(); }

}  // namespace fathom::studies
