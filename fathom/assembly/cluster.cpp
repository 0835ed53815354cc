#include "fathom/assembly/cluster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::assembly {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

/// Takes a wrench at and in frame `from` to frame `to` by its wrench(), both posed in a third; docs/model.md
/// eq. 3.
TwistMap between(const Pose& from, const Pose& to) { return TwistMap(to.inverse() * from); }

}  // namespace

Cluster::Cluster(std::vector<Mat6> M, std::vector<Pose> poses, std::vector<Link> links, model::Dof dof)
    : M_(std::move(M)), poses_(std::move(poses)), links_(std::move(links)), dof_(dof) {
  check();
  // The centre of the bodies' inertias: far from it the inverse of the whole would lose digits.
  double weight = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double own = M_[i].topLeftCorner<3, 3>().trace();
    weight += own;
    centre_ += own * poses_[i].p_pc_p;
  }
  centre_ /= weight;
  const Pose pose_c{Quat::Identity(), centre_};
  H_first_ = twist_transform(pose_c);
  Mat6 whole = Mat6::Zero();
  for (std::size_t i = 0; i < size(); ++i) {
    H_.push_back(between(poses_[i], pose_c));
    const Mat6 H = H_[i].matrix();
    whole += H.transpose() * M_[i] * H;
  }
  M_inverse_ = dynamics::inverse_on_free(0.5 * (whole + whole.transpose()), dof_);
  grow_tree();
  close_loops();
}

void Cluster::check() const {
  if (M_.empty() || M_.size() != poses_.size())
    reject("bodies", fmt::format("has {} inertias and {} poses, must be as many, and one at least", M_.size(),
                                 poses_.size()));
  for (std::size_t k = 0; k < links_.size(); ++k)
    if (links_[k].a >= size() || links_[k].b >= size() || links_[k].a == links_[k].b)
      reject(fmt::format("links[{}]", k),
             fmt::format("joins bodies {} and {} of {}", links_[k].a, links_[k].b, size()),
             "two different bodies, counted from 0");
  if (dof_ == model::Dof::six) return;
  for (std::size_t i = 0; i < size(); ++i)
    if (const double lean = (poses_[i].q_pc * Vec3::UnitZ() - Vec3::UnitZ()).norm(); lean > 1e-6)
      reject(fmt::format("bodies[{}]", i),
             fmt::format("leans by {:.2f} degrees against the first",
                         degrees * 2 * std::asin(std::min(1.0, lean / 2))),
             "with four degrees of freedom all stand upright alike: take six");
}

/// Breadth first from the first body. The links that it does not use are the chords.
void Cluster::grow_tree() {
  std::vector<std::vector<std::size_t>> links_at(size());
  for (std::size_t k = 0; k < links_.size(); ++k) {
    links_at[links_[k].a].push_back(k);
    links_at[links_[k].b].push_back(k);
  }
  std::vector<bool> reached(size(), false), used(links_.size(), false);
  std::vector<std::size_t> queue = {0};
  reached[0] = true;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::size_t parent = queue[next];
    for (const std::size_t k : links_at[parent]) {
      const bool body_is_a = links_[k].b == parent;
      const std::size_t body = body_is_a ? links_[k].a : links_[k].b;
      if (reached[body]) continue;
      reached[body] = used[k] = true;
      queue.push_back(body);
      const Pose link = link_pose(k);
      tree_.push_back({body, parent, k, body_is_a ? 1.0 : -1.0, between(poses_[body], link),
                       between(link, poses_[parent])});
    }
  }
  if (queue.size() != size()) {
    const auto lost =
        static_cast<std::size_t>(std::find(reached.begin(), reached.end(), false) - reached.begin());
    reject(fmt::format("bodies[{}]", lost), "is joined to the first by no link", "clusters hang together");
  }
  std::reverse(tree_.begin(), tree_.end());
  for (std::size_t k = 0; k < links_.size(); ++k)
    if (!used[k]) chords_.push_back(k);
}

/// A chord's load goes round its loop: what it is in each link of the tree there, and the equations of the
/// least sum of squares; docs/assemblies.md eq. 6.
void Cluster::close_loops() {
  in_loop_.assign(links_.size(), false);
  std::vector<std::size_t> step_of(size(), nowhere);  // where each body stands in tree_
  for (std::size_t s = 0; s < tree_.size(); ++s) step_of[tree_[s].body] = s;
  for (const std::size_t chord : chords_) {
    in_loop_[chord] = true;
    std::vector<Share>& shares = shares_.emplace_back();
    // The steps nearer to the leaves come first: of the two ends the one with the earlier step climbs.
    std::size_t low_a = links_[chord].a, low_b = links_[chord].b;
    while (low_a != low_b) {
      const std::size_t at_a = step_of[low_a],
                        at_b = step_of[low_b];  // nowhere, the largest, for the first body
      const bool a_climbs = at_a < at_b;
      const Step& step = tree_[std::min(at_a, at_b)];
      // What the chord gives to body a its branch need not get through the tree; to b it gives the opposite.
      const double sign = a_climbs ? -step.sign : step.sign;
      shares.push_back(
          {step.link, sign * between(link_pose(chord), link_pose(step.link)).matrix().transpose()});
      in_loop_[step.link] = true;
      (a_climbs ? low_a : low_b) = step.parent;
    }
  }
  if (chords_.empty()) return;
  const auto n = static_cast<Eigen::Index>(6 * chords_.size());
  Eigen::MatrixXd gram = Eigen::MatrixXd::Identity(n, n);
  std::vector<std::vector<std::pair<Eigen::Index, const Mat6*>>> by_link(links_.size());
  for (std::size_t k = 0; k < chords_.size(); ++k)
    for (const Share& share : shares_[k])
      by_link[share.link].emplace_back(static_cast<Eigen::Index>(6 * k), &share.by_chord);
  for (const auto& list : by_link)
    for (const auto& [row, left] : list)
      for (const auto& [column, right] : list) gram.block<6, 6>(row, column) += left->transpose() * *right;
  chord_gram_.compute(gram);
}

void Cluster::make_rigid(std::span<Vec6> motions) const {
  Vec6 sum = Vec6::Zero();
  for (std::size_t i = 0; i < size(); ++i) sum += H_[i].wrench(M_[i] * motions[i]);
  const Vec6 common = M_inverse_ * sum;
  for (std::size_t i = 0; i < size(); ++i) motions[i] = H_[i].twist(common);
}

double Cluster::energy_between(std::span<const Vec6> before, std::span<const Vec6> after) const {
  double energy = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const Vec6 jump = after[i] - before[i];
    energy += 0.5 * jump.dot(M_[i] * jump);
  }
  return energy;
}

Vec6 Cluster::momentum(std::span<const Vec6> velocities) const {
  Vec6 sum = Vec6::Zero();
  for (std::size_t i = 0; i < size(); ++i) sum += H_[i].wrench(M_[i] * velocities[i]);
  return H_first_.transpose() * sum;
}

Misfit Cluster::project(std::span<dynamics::State> states) const {
  // Where the first body has the frame c; how far each body is from its place there, in its own axes; the rigid
  // motion that takes most of it away.
  const Pose pose_c{Quat::Identity(), centre_};
  Pose guess = Pose{states[0].q_nb, states[0].p_nb_n} * pose_c;
  const auto place = [&](std::size_t i) { return guess * (pose_c.inverse() * poses_[i]); };
  Vec6 sum_off = Vec6::Zero(), sum_momentum = Vec6::Zero();
  Misfit worst;
  for (std::size_t i = 0; i < size(); ++i) {
    const Pose wanted = place(i);
    Vec6 off;
    off.head<3>() = states[i].q_nb.conjugate() * (states[i].p_nb_n - wanted.p_pc_p);
    off.tail<3>() = log_rotation(wanted.q_pc.conjugate() * states[i].q_nb);
    worst.distance = std::max(worst.distance, off.head<3>().norm());
    worst.angle = std::max(worst.angle, off.tail<3>().norm());
    sum_off += H_[i].wrench(M_[i] * off);
    sum_momentum += H_[i].wrench(M_[i] * states[i].nu_b);
  }
  const Vec6 shift = M_inverse_ * sum_off, common = M_inverse_ * sum_momentum;
  guess = guess * Pose{exp_rotation(shift.tail<3>()), shift.head<3>()};
  guess.q_pc.normalize();
  for (std::size_t i = 0; i < size(); ++i) {
    const Pose at = place(i);
    states[i].q_nb = at.q_pc.normalized();
    states[i].p_nb_n = at.p_pc_p;
    states[i].nu_b = H_[i].twist(common);
  }
  return worst;
}

Cluster::Workspace Cluster::workspace() const {
  return {std::vector<Vec6>(size()), Eigen::VectorXd(static_cast<Eigen::Index>(6 * chords_.size()))};
}

void Cluster::loads(std::span<const Vec6> before, std::span<const Vec6> after, Workspace& workspace,
                    std::span<Vec6> loads) const {
  std::vector<Vec6>& needed = workspace.wrenches;
  for (std::size_t i = 0; i < size(); ++i) needed[i] = M_[i] * (after[i] - before[i]);
  for (const Step& step : tree_) {
    const Vec6 through = step.at_link.wrench(needed[step.body]);
    loads[step.link] = step.sign * through;
    needed[step.parent] += step.at_parent.wrench(through);
  }
  if (chords_.empty()) return;
  Eigen::VectorXd& z = workspace.chord_loads;
  z.setZero();
  for (std::size_t k = 0; k < chords_.size(); ++k)
    for (const Share& share : shares_[k])
      z.segment<6>(static_cast<Eigen::Index>(6 * k)) -= share.by_chord.transpose() * loads[share.link];
  chord_gram_.solveInPlace(z);
  for (std::size_t k = 0; k < chords_.size(); ++k) {
    const Vec6 own = z.segment<6>(static_cast<Eigen::Index>(6 * k));
    loads[chords_[k]] = own;
    for (const Share& share : shares_[k]) loads[share.link] += share.by_chord * own;
  }
}

}  // namespace fathom::assembly
