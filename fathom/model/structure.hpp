#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/model/dof.hpp"
#include "fathom/model/parameters.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model {

/// What one parameter multiplies in the equation of motion; docs/model.md eqs. 16 to 18. Rows and columns count
/// from 0 in [u v w p q r]; names count from 1.
struct Term {
  enum class Kind {
    inertia,        ///< M_ij = M_ji                                    m15
    inertia_entry,  ///< M_ij alone, not tied to M_ji                   m15, m51
    linear,         ///< (D_lin)_ij                                     d26
    quadratic,      ///< (Q_k)_ij: row i, velocity j, speed k           q26|6|
    net_weight,     ///< W - B                                          W-B
    weight,
    buoyancy,      ///< W and B apart: their columns are opposite      W, B
    first_moment,  ///< axis i of (r_g W - r_b B)                      xgW-xbB
  };
  Kind kind;
  int row = 0, column = 0, speed = 0;

  bool operator==(const Term&) const = default;
};

std::string name_of(const Term& term);
/// The term of that name; m15 is the tied one, m51 can only be the entry alone.
std::optional<Term> term_by_name(std::string_view name);
std::string unit_of(const Term& term);
std::string group_of(const Term& term);

/// Which parameters a model has, in order.
struct Structure {
  std::string name;
  Dof dof = Dof::six;
  std::vector<Term> terms;

  std::size_t size() const { return terms.size(); }
  /// Names, units and groups with these values.
  std::vector<Parameter> parameters(const Eigen::VectorXd& values) const;
};

/// What to leave free. Entries of held degrees of freedom, and what they alone can show, are left out; so with
/// fewer than six, water must not accelerate.
struct StructureOptions {
  enum class Inertia { full, planes, diagonal };
  enum class Linear { none, full, planes, diagonal };
  struct Cross {
    int row, column, speed;
  };

  Dof dof = Dof::six;
  Inertia inertia = Inertia::planes;
  Linear linear = Linear::diagonal;
  bool quadratic_diagonal = true;
  std::vector<Cross> quadratic_cross;  ///< (Q_speed)_{row, column}, beyond the diagonal (Q_j)_jj
  Symmetry symmetry;                   ///< for the forms `planes`
  bool net_weight = true;              ///< dropped in 3-DoF, where nothing shows it
  bool first_moments = true;           ///< dropped unless 6-DoF, where roll and pitch show them
};

/// Throws InputError for a cross term that is not there, is on the diagonal, repeats or touches a held
/// velocity.
Structure make_structure(std::string name, const StructureOptions& options);

/// Every term that the equation of motion has: 21 + 36 + 216 + 4 in 6-DoF.
Structure full_structure(Dof dof = Dof::six);

/// The named vectors of the literature:
///  vehicle-23  Panetsos, 4-DoF: m11 m22 m33 m66 m13 m26, 16 linear damping, W-B
///  vehicle-27  Morgan 2026, 6-DoF: ten entries of M with (1,5) (5,1) (2,4) (4,2) apart, 6 linear, 6 quadratic,
///              W, B and three first moments: rank 26, because W and B have opposite columns
///  vehicle-25  the same with M = M': rank 24
///  vehicle-24  the same with W-B: full rank
/// Throws InputError with the nearest name.
Structure structure_by_name(std::string_view name);
std::vector<std::string_view> structure_names();

/// The planes that hold for M = M_rb + M_a: stated for the shape, and obeyed by the dry body too.
Symmetry inertia_symmetry(const Robot& robot);

}  // namespace fathom::model
