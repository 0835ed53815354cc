#include "fathom/excite/information.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/excite/aligned.hpp"
#include "fathom/excite/internal/kernel.hpp"

namespace fathom::excite {
namespace {

using internal::Feature;
using internal::lanes;
using model::Term;
using Kind = Term::Kind;

// Base columns: nu 0 to 5, nu_dot 6 to 11, down 12 to 14, then those of Samples::wrench.
constexpr int nu_dot_0 = 6, down_0 = 12, wrench_0 = 15;

/// The axis and sign of e_i x e_j; no sign where i = j.
struct Axis {
  int axis, sign;
};
Axis cross_of_axes(int i, int j) {
  if (i == j) return {0, 0};
  return {3 - i - j, (j - i + 3) % 3 == 1 ? 1 : -1};
}

}  // namespace

/// The features, how G is made of their products, and scratch memory.
struct Information::Gathering {
  Gathering(const model::Structure& structure, const Eigen::VectorXd& weight,
            std::span<const ErrorColumn> errors);
  const Eigen::MatrixXd& matrix(const Samples& at);
  void gradient(const Samples& at, const Eigen::MatrixXd& W, Samples& adjoint, internal::Onto onto);

  struct Entry {  // of G: += coefficient times the sum of a pair
    int row, column, pair;
    double coefficient;
  };
  int feature_of(internal::Feature feature);
  void add_term(const model::Term& term, int column);
  void add(int row, int column, internal::Feature feature, double coefficient);
  void add_errors(std::span<const ErrorColumn> errors, int first);
  void make_pairs(const Eigen::VectorXd& weight);
  internal::Pairs pairs_at(const Samples& at);

  model::Dof dof_;
  std::vector<internal::Feature> features_;
  std::vector<int> used_;  // base columns
  struct Part {            // of Y: entry (row, column) has coefficient times a feature
    int row, column, feature;
    double coefficient;
  };
  std::vector<Part> parts_;
  std::vector<Entry> entries_;
  std::vector<int> first_, pair_begin_, pair_second_;  // by pair; by feature
  std::vector<int> partner_begin_, partner_other_, partner_pair_;
  AlignedNumbers sums_;
  std::vector<double> pair_weight_, partner_weight_;
  int wrench_columns_ = 0;  // that G depends on, at most
  const double* base_[internal::most_base];
  Eigen::MatrixXd G_;
};

Information::Gathering::Gathering(const model::Structure& structure, const Eigen::VectorXd& weight,
                                  std::span<const ErrorColumn> errors)
    : dof_(structure.dof) {
  const auto n = static_cast<Eigen::Index>(structure.size() + errors.size());
  G_.resize(n, n);
  for (std::size_t k = 0; k < structure.size(); ++k) add_term(structure.terms[k], static_cast<int>(k));
  add_errors(errors, static_cast<int>(structure.size()));
  make_pairs(weight);
}

int Information::Gathering::feature_of(Feature feature) {
  if (feature.kind == Feature::product && feature.a > feature.b) std::swap(feature.a, feature.b);
  for (std::size_t f = 0; f < features_.size(); ++f)
    if (features_[f].kind == feature.kind && features_[f].a == feature.a && features_[f].b == feature.b)
      return static_cast<int>(f);
  features_.push_back(feature);
  return static_cast<int>(features_.size()) - 1;
}

void Information::Gathering::add(int row, int column, Feature feature, double coefficient) {
  if (coefficient == 0) return;
  for (const int base : {feature.a, feature.b}) {
    const int index = base % 6;  // what held velocities carry is zero, and so are their rows
    if (base < down_0 && !model::is_free(dof_, index)) return;
    if (base >= down_0 && dof_ != model::Dof::six && base != down_0 + 2) return;
  }
  if (!model::is_free(dof_, row)) return;
  parts_.push_back({row, column, feature_of(feature), coefficient});
}

void Information::Gathering::add_errors(std::span<const ErrorColumn> errors, int first) {
  for (const ErrorColumn& error : errors) {
    for (const ErrorColumn::Part& part : error.parts) {
      const int base = wrench_0 + part.column;
      if (base >= internal::most_base) reject("errors", "have too many columns of the wrench");
      if (!model::is_free(dof_, part.row) || part.coefficient == 0) continue;
      parts_.push_back({part.row, first, feature_of({Feature::plain, base, base}), part.coefficient});
      wrench_columns_ = std::max(wrench_columns_, part.column + 1);
    }
    ++first;
  }
}

/// The columns of dynamics::regressor, as features.
void Information::Gathering::add_term(const Term& term, int column) {
  // Momentum of M = e_i e_j' is nu_j e_i; C(nu) nu = [omega x p_1; v x p_1 + omega x p_2].
  const auto add_inertia = [&](int i, int j) {
    add(i, column, {Feature::plain, nu_dot_0 + j, nu_dot_0 + j}, 1);
    for (int k = 0; k < 3; ++k) {
      const auto [axis, sign] = cross_of_axes(k, i % 3);
      add(axis + (i < 3 ? 0 : 3), column, {Feature::product, 3 + k, j}, sign);
      if (i < 3) add(axis + 3, column, {Feature::product, k, j}, sign);
    }
  };
  switch (term.kind) {
    case Kind::inertia:
      add_inertia(term.row, term.column);
      if (term.row != term.column) add_inertia(term.column, term.row);
      break;
    case Kind::inertia_entry: add_inertia(term.row, term.column); break;
    case Kind::linear: add(term.row, column, {Feature::plain, term.column, term.column}, 1); break;
    case Kind::quadratic: add(term.row, column, {Feature::absolute_product, term.speed, term.column}, 1); break;
    case Kind::net_weight:
    case Kind::weight:
      for (int k = 0; k < 3; ++k) add(k, column, {Feature::plain, down_0 + k, down_0 + k}, -1);
      break;
    case Kind::buoyancy:
      for (int k = 0; k < 3; ++k) add(k, column, {Feature::plain, down_0 + k, down_0 + k}, 1);
      break;
    case Kind::first_moment:
      for (int k = 0; k < 3; ++k) {
        const auto [axis, sign] = cross_of_axes(term.row, k);
        add(axis + 3, column, {Feature::plain, down_0 + k, down_0 + k}, -sign);
      }
      break;
  }
}

void Information::Gathering::make_pairs(const Eigen::VectorXd& weight) {
  if (features_.size() > internal::most_features)
    reject(
        "structure",
        fmt::format("needs {} features of the motion; at most {}", features_.size(), internal::most_features),
        "leave out cross terms of the quadratic damping");
  for (const Feature& feature : features_)
    for (const int base : {feature.a, feature.b})
      if (std::find(used_.begin(), used_.end(), base) == used_.end()) used_.push_back(base);
  const auto free = model::free_indices(dof_);
  std::map<std::pair<int, int>, int> index;  // of a pair of features
  std::map<std::array<int, 3>, double> entries;
  const auto pair_of = [](const Part& a, const Part& b) { return std::minmax(a.feature, b.feature); };
  for (const Part& a : parts_)
    for (const Part& b : parts_)
      if (a.row == b.row && a.column <= b.column) index.emplace(pair_of(a, b), 0);
  int count = 0;
  pair_begin_.assign(1, 0);
  for (auto& [pair, k] : index) {  // ordered by the first feature
    while (static_cast<int>(pair_begin_.size()) <= pair.first) pair_begin_.push_back(count);
    k = count++;
    first_.push_back(pair.first);
    pair_second_.push_back(pair.second);
  }
  while (pair_begin_.size() <= features_.size()) pair_begin_.push_back(count);
  for (const Part& a : parts_)
    for (const Part& b : parts_) {
      if (a.row != b.row || a.column > b.column) continue;
      const auto position = std::find(free.begin(), free.end(), a.row) - free.begin();
      entries[{a.column, b.column, index.at(pair_of(a, b))}] +=
          weight[position] * a.coefficient * b.coefficient;
    }
  for (const auto& [key, coefficient] : entries)
    if (coefficient != 0) entries_.push_back({key[0], key[1], key[2], coefficient});
  partner_begin_.assign(1, 0);
  for (int f = 0; f < static_cast<int>(features_.size()); ++f) {
    for (int k = 0; k < count; ++k) {
      if (first_[static_cast<std::size_t>(k)] == f)
        partner_other_.push_back(pair_second_[static_cast<std::size_t>(k)]), partner_pair_.push_back(k);
      if (pair_second_[static_cast<std::size_t>(k)] == f)
        partner_other_.push_back(first_[static_cast<std::size_t>(k)]), partner_pair_.push_back(k);
    }
    partner_begin_.push_back(static_cast<int>(partner_other_.size()));
  }
  sums_.resize(static_cast<std::size_t>(count * lanes));
  pair_weight_.resize(static_cast<std::size_t>(count));
  partner_weight_.resize(partner_other_.size());
}

internal::Pairs Information::Gathering::pairs_at(const Samples& at) {
  for (int k = 0; k < 6; ++k) {
    base_[k] = at.nu.col(k).data();
    base_[nu_dot_0 + k] = at.nu_dot.col(k).data();
  }
  for (int k = 0; k < 3; ++k) base_[down_0 + k] = at.down.col(k).data();
  for (int k = 0; k < wrench_columns_; ++k) base_[wrench_0 + k] = at.wrench.col(k).data();
  return {features_.data(), static_cast<int>(features_.size()), pair_begin_.data(), pair_second_.data(), base_,
          used_.data(),     static_cast<int>(used_.size())};
}

const Eigen::MatrixXd& Information::Gathering::matrix(const Samples& at) {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  internal::kernel().accumulate(pairs_at(at), static_cast<int>(at.size() / lanes), sums_.data());
  for (std::size_t k = 0; k < pair_weight_.size(); ++k)
    pair_weight_[k] = internal::sum_of_lanes(sums_.data() + k * lanes);
  G_.setZero();
  for (const Entry& e : entries_)
    G_(e.row, e.column) += e.coefficient * pair_weight_[static_cast<std::size_t>(e.pair)];
  G_.triangularView<Eigen::StrictlyLower>() = G_.transpose();
  return G_;
}

void Information::Gathering::gradient(const Samples& at, const Eigen::MatrixXd& W, Samples& adjoint,
                                      internal::Onto onto) {
  std::fill(pair_weight_.begin(), pair_weight_.end(), 0.0);
  for (const Entry& e : entries_)
    pair_weight_[static_cast<std::size_t>(e.pair)] +=
        (e.row == e.column ? 1 : 2) * e.coefficient * W(e.row, e.column);
  for (std::size_t k = 0; k < partner_weight_.size(); ++k)
    partner_weight_[k] = pair_weight_[static_cast<std::size_t>(partner_pair_[k])];
  double* columns[internal::most_base];
  for (int k = 0; k < 6; ++k) {
    columns[k] = adjoint.nu.col(k).data();
    columns[nu_dot_0 + k] = adjoint.nu_dot.col(k).data();
  }
  for (int k = 0; k < 3; ++k) columns[down_0 + k] = adjoint.down.col(k).data();
  for (int k = 0; k < wrench_columns_; ++k) columns[wrench_0 + k] = adjoint.wrench.col(k).data();
  internal::kernel().accumulate_adjoint(pairs_at(at),
                                        {partner_begin_.data(), partner_other_.data(), partner_weight_.data()},
                                        static_cast<int>(at.size() / lanes), columns, onto);
}

Information::Information(const model::Structure& structure, const Eigen::VectorXd& weight,
                         std::span<const ErrorColumn> errors)
    : gathering_(std::make_unique<Gathering>(structure, weight, errors)) {}
Information::~Information() = default;
Information::Information(Information&&) noexcept = default;
Information& Information::operator=(Information&&) noexcept = default;

Eigen::Index Information::size() const { return gathering_->G_.rows(); }

const Eigen::MatrixXd& Information::matrix(const Samples& at) { return gathering_->matrix(at); }

void Information::add_gradient(const Samples& at, const Eigen::MatrixXd& W, Samples& adjoint) {
  gathering_->gradient(at, W, adjoint, internal::Onto::what_is_there);
}
void Information::set_gradient(const Samples& at, const Eigen::MatrixXd& W, Samples& adjoint) {
  gathering_->gradient(at, W, adjoint, internal::Onto::nothing);
}

}  // namespace fathom::excite
