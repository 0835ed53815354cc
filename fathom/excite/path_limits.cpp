#include "fathom/excite/path_limits.hpp"

#include "fathom/base/error.hpp"
#include "fathom/excite/internal/limit.hpp"
#include "fathom/excite/internal/number_text.hpp"

namespace fathom::excite {
namespace {

void check_rows(const char* name, Eigen::Index got, const Samples& at) {
  if (got != at.size()) reject(name, fmt::format("has {} entries for {} samples", got, at.size()));
}

Samples at_rest(const Vec6& pose) {
  Samples at(1);
  at.pose.row(0) = pose.transpose().array();
  at.down.row(0) = internal::Attitude(pose.tail<3>()).R_nb.row(2).array();
  return at;
}

}  // namespace

struct PathLimits::Impl {
  std::string file;
  std::map<std::string, int> lines;  // of the limits' keys
  Samples start;
  std::optional<Samples> end;  // where it is another pose
  std::vector<std::unique_ptr<internal::Limit>> limits;
  double closer = 0;

  void tighten(double share) {
    closer = share;
    for (const auto& limit : limits) limit->tighten(share);
  }

  /// Where not even rest at the ends is within a limit, no path is.
  void check_ends() const {
    Findings findings;
    const Eigen::ArrayXd one = Eigen::ArrayXd::Ones(1);
    for (const auto& limit : limits) {
      for (const Samples* at : {&start, end ? &*end : nullptr}) {
        if (!at || limit->barrier(*at, one, nullptr, nullptr) < infinity) continue;
        const Margin margin = limit->nearest(*at, one);
        const auto [worst, bound] = internal::distinct_texts(margin.worst, margin.bound);
        std::string message = fmt::format("at rest at the {}: {} {}, must be below {}",
                                          at == &start ? "start" : "end", worst, margin.unit, bound);
        if (closer > 0) message += fmt::format(" less {:.3g} of its scale", closer);
        std::string key(limit->key());
        findings.push_back(
            {Severity::error, file, lines.at(key), key, std::move(message), std::string(limit->hint())});
      }
    }
    if (!findings.empty()) throw InputError(std::move(findings));
  }
};

PathLimits::PathLimits(const Problem& problem)
    : impl_(std::make_unique<Impl>(Impl{problem.file, {}, at_rest(problem.start), {}, {}, 0})) {
  if (problem.end != problem.start) impl_->end = at_rest(problem.end);
  Findings findings;
  for (const auto make :
       {internal::make_thruster_limit, internal::make_view_limit, internal::make_tether_limit}) {
    try {
      auto limit = make(problem);
      if (!limit) continue;
      const std::string key(limit->key());
      impl_->lines[key] = problem.line_of(key);
      impl_->limits.push_back(std::move(limit));
    } catch (const InputError& error) {
      findings.insert(findings.end(), error.findings().begin(), error.findings().end());
    }
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  impl_->check_ends();
}

PathLimits::~PathLimits() = default;
PathLimits::PathLimits(PathLimits&&) noexcept = default;
PathLimits& PathLimits::operator=(PathLimits&&) noexcept = default;

std::size_t PathLimits::kinds() const { return impl_->limits.size(); }

double PathLimits::barrier(const Samples& at, const Eigen::ArrayXd& weight, Samples* adjoint,
                           Eigen::ArrayXXd* least) const {
  check_rows("weight", weight.size(), at);
  if (least) check_rows("least", least->rows(), at);
  double sum = 0;
  double* column = least ? least->data() : nullptr;
  for (const auto& limit : impl_->limits) {
    sum += limit->barrier(at, weight, adjoint, column);
    if (sum == infinity && !least) break;
    if (least) column += at.size();
  }
  return sum;
}

void PathLimits::slopes(std::size_t kind, const Samples& at, const Eigen::ArrayXd& weight,
                        const Eigen::ArrayXXd& least, Slopes& slopes) const {
  check_rows("weight", weight.size(), at);
  check_rows("least", least.rows(), at);
  impl_->limits.at(kind)->slopes(at, weight, least.col(static_cast<Eigen::Index>(kind)).data(), slopes);
}

std::vector<Margin> PathLimits::margins(const Samples& at, const Eigen::ArrayXd& t) const {
  check_rows("t", t.size(), at);
  std::vector<Margin> margins;
  if (at.size() == 0) return margins;
  for (const auto& limit : impl_->limits) margins.push_back(limit->nearest(at, t));
  return margins;
}

void PathLimits::tighten(double share) {
  if (!(share >= 0 && share < 1)) reject("share", fmt::format("= {}, must be 0 to below 1", share));
  const double before = impl_->closer;
  impl_->tighten(share);
  try {
    impl_->check_ends();
  } catch (const InputError&) {
    impl_->tighten(before);
    throw;
  }
}

}  // namespace fathom::excite
