#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "fathom/excite/assessment.hpp"

#include "studies/excitation/noise_study.hpp"
#include "studies/reproduce.hpp"

namespace fathom::studies {
namespace {

using excite::Criterion;
using excite::Shape;

/// One of the motions that are compared.
struct Formulation {
  std::string key;
  Shape::Kind shape;
  int parts;
  double interval;  // s, between knots
  Criterion criterion;
  std::string starts;  // the setting that says how many
  double work;         // share of the whole, roughly
};
const Formulation formulations[] = {
    {"hull", Shape::Kind::bezier, 1, 0, Criterion::condition, "hull_starts", 0.3},
    {"subdivided", Shape::Kind::bezier, 8, 0, Criterion::condition, "subdivided_starts", 0.3},
    {"coarse_a", Shape::Kind::spline, 1, 3.2, Criterion::a_optimal, "spline_starts", 0.05},
    {"spline_a", Shape::Kind::spline, 1, 1.6, Criterion::a_optimal, "spline_starts", 0.07},
    {"spline_d", Shape::Kind::spline, 1, 1.6, Criterion::d_optimal, "spline_starts", 0.07},
};
constexpr double work_of_draws = 0.03;  // of one of seven motions

class ExcitationStudy {
 public:
  ExcitationStudy(Study& study, const Host& host)
      : study_(study),
        host_(host),
        problem_(excite::read_problem(study.folder() / "paper.yaml", {host.shared / "robots"})),
        truth_(read_truth(study.folder() / "truth.yaml", problem_.structure)) {}

  void run() {
    for (const Formulation& formulation : formulations) compare(formulation);
    const auto nearest =
        std::min_element(margins_.begin(), margins_.end(),
                         [](const excite::Margin& a, const excite::Margin& b) { return a.margin < b.margin; });
    study_.set("margin", nearest->margin,
               fmt::format("{}, at {:.1f} s, {}", nearest->limit, nearest->t, nearest->unit));
    identify("sinusoids", excite::sinusoid_grid(problem_, problem_.sampling));
  }

 private:
  void compare(const Formulation& formulation) {
    excite::Problem problem = problem_;
    problem.shape.kind = formulation.shape;
    problem.shape.parts = formulation.parts;
    problem.shape.interval = formulation.interval;
    problem.criterion = formulation.criterion;
    problem.starts = study_.setting(formulation.starts);
    const std::clock_t before = std::clock();
    const excite::Designer designer(problem);
    excite::DesignOptions options;
    options.seed = host_.seed;
    options.progress = [&](int ended, double) {
      host_.progress(done_ + formulation.work * ended / problem.starts, formulation.key);
    };
    const excite::Design design = designer.design(host_.pool, options);
    throw_if(host_.pool.stop());
    const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC / problem.starts;
    done_ += formulation.work;
    const excite::Assessment assessment = excite::assess(designer, design, options.seed);
    tell(formulation.key, design, assessment, seconds);
    identify(formulation.key, assessment.grid);
    if (formulation.key == "spline_a") {  // the beginning of the first start, before any search
      const auto path = designer.path(designer.random_path(options.seed, 0));
      identify("random", excite::sample_path(
                             problem, [&](double t) { return path.at(t); }, problem.sampling));
    }
  }

  void tell(const std::string& key, const excite::Design& design, const excite::Assessment& assessment,
            double seconds) {
    const excite::ExpectedAccuracy& accuracy = assessment.accuracy;
    study_.set(key + ".condition", accuracy.condition, solve::to_string(design.certificate.status));
    study_.set(key + ".floor", accuracy.floor,
               fmt::format("column of {} over that of {}", accuracy.floor_high, accuracy.floor_low));
    study_.set(key + ".seconds", seconds);
    std::vector<double> ends;
    for (const excite::Start& start : design.starts) ends.push_back(std::exp(start.last));
    std::sort(ends.begin(), ends.end());
    study_.set(key + ".median", ends[ends.size() / 2]);
    study_.set(key + ".mean",
               std::accumulate(ends.begin(), ends.end(), 0.0) / static_cast<double>(ends.size()));
    margins_.insert(margins_.end(), assessment.margins.begin(), assessment.margins.end());
  }

  void identify(const std::string& key, const excite::Grid& grid) {
    const NoiseStudy noise =
        study_noise(problem_, truth_, grid, host_.pool, {study_.setting("draws"), host_.seed});
    throw_if(host_.pool.stop());
    host_.progress(done_ += work_of_draws, "identification");
    study_.set("error." + key, 100 * noise.error,
               fmt::format("predicted {:.2f}, bias {:.2f}; condition number {:.1f}", 100 * noise.predicted,
                           100 * noise.bias, excite::accuracy_of(problem_, grid.samples).condition));
  }

  Study& study_;
  const Host& host_;
  excite::Problem problem_;
  Eigen::VectorXd truth_;
  double done_ = 0;
  std::vector<excite::Margin> margins_;  // of all designs
};

}  // namespace

void reproduce_excitation(Study& study, const Host& host) { ExcitationStudy(study, host).run(); }

}  // namespace fathom::studies
