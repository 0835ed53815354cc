#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Cholesky>

#include "fathom/assembly/mating.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/geometry/twist_map.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::assembly {

/// A rigid coupling between two bodies of a cluster: an edge of its graph (a link of an arm is model::Link).
struct Link {
  std::size_t a = 0, b = 0;
  Pose frame_a;  ///< the coupling's own frame in body a: of a's connector, x out of a
};

/// Bodies that move as one, because couplings hold them: any connected graph, with or without closed loops.
///
/// In body velocities a rigid coupling says nu_b = H nu_a with a constant H (docs/assemblies.md eq. 3), so that
/// all motions that the couplings allow are nu_i = H_i nu_c, whatever the attitude. Of these the one that is
/// nearest in the metric of the inertias is what Udwadia and Kalaba's pseudo-inverse finds (Nielsen 2019,
/// eq. 3.55): here by one sum over the bodies, so the cost grows with their number. udwadia_kalaba.hpp has the
/// pseudo-inverse itself. Immutable; threads share it.
class Cluster {
 public:
  /// `M`: inertias with added mass, each at its body's origin; `poses`: of the bodies in the frame of the
  /// first. Throws InputError unless the links join all bodies, each to another, and, with four degrees of
  /// freedom, unless all bodies stand upright alike.
  Cluster(std::vector<Mat6> M, std::vector<Pose> poses, std::vector<Link> links,
          model::Dof dof = model::Dof::six);

  std::size_t size() const { return M_.size(); }
  const std::vector<Link>& links() const { return links_; }
  const Pose& pose(std::size_t body) const { return poses_[body]; }  ///< in the frame of the first body
  /// Links beyond those that would hold the bodies together: as many closed loops.
  std::size_t loops() const { return chords_.size(); }
  /// The link is part of a closed loop. Motion does not determine its load: `loads` gives the least one.
  bool is_in_loop(std::size_t link) const { return in_loop_[link]; }

  /// Replaces the motion of each body, in its own axes, by the nearest that the couplings allow. Of
  /// accelerations that is Gauss' principle: unconstrained in, constrained out (docs/assemblies.md eq. 5). Of
  /// velocities it is the impact in which couplings close: the Kirchhoff impulse, added mass included, stays as
  /// it was (eq. 8).
  void make_rigid(std::span<Vec6> motions) const;
  /// sum of 1/2 d' M d over the bodies, d = after - before: of velocities, the energy that an impact takes (eq.
  /// 9).
  double energy_between(std::span<const Vec6> before, std::span<const Vec6> after) const;
  /// Momentum of all bodies, at the origin and in the axes of the first.
  Vec6 momentum(std::span<const Vec6> velocities) const;

  /// Puts poses and velocities back on the constraints: the nearest in the same metric (eq. 7). What is off is
  /// rounding and the integrator's error; the largest misfit before is returned.
  Misfit project(std::span<dynamics::State> states) const;

  struct Workspace {
    std::vector<Vec6> wrenches;  ///< that each body's branch of the tree needs
    Eigen::VectorXd chord_loads;
  };
  Workspace workspace() const;

  /// What each coupling carries: the wrench on body a from body b, in the coupling's own frame (X > 0 pulls
  /// them apart); of accelerations before and after make_rigid N and N m, of velocities N s and N m s. In
  /// closed loops the load of least norm, a newton as much as a newton metre: the motion leaves it open (eq.
  /// 6).
  void loads(std::span<const Vec6> before, std::span<const Vec6> after, Workspace& workspace,
             std::span<Vec6> loads) const;

 private:
  struct Step {  // of the tree, from the leaves to the first body
    std::size_t body, parent, link;
    double sign;  // of the load for the wrench that the body's branch needs: + where the body is the link's a
    TwistMap at_link, at_parent;  // of the body seen from the link, of the link seen from the parent
  };
  struct Share {  // of a chord's load in a link of the tree that is in its loop
    std::size_t link;
    Mat6 by_chord;
  };

  void check() const;
  void grow_tree();
  void close_loops();
  Pose link_pose(std::size_t link) const { return poses_[links_[link].a] * links_[link].frame_a; }

  std::vector<Mat6> M_;
  std::vector<Pose> poses_;
  std::vector<Link> links_;
  model::Dof dof_;
  Vec3 centre_ = Vec3::Zero();  // of the frame c in the first body's, whose axes it has
  Mat6 H_first_, M_inverse_;    // nu_c = H nu_0; of the whole, at c, on the free velocities
  std::vector<TwistMap> H_;     // nu_i = H_i nu_c
  std::vector<Step> tree_;
  std::vector<std::size_t> chords_;
  std::vector<std::vector<Share>> shares_;  // by chord
  std::vector<bool> in_loop_;
  Eigen::LLT<Eigen::MatrixXd> chord_gram_;
};

}  // namespace fathom::assembly
