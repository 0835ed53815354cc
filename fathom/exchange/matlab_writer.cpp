#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fathom/exchange/internal/losses.hpp"
#include "fathom/exchange/internal/names.hpp"
#include "fathom/exchange/internal/writers.hpp"
#include "fathom/exchange/internal/xml_text.hpp"

namespace fathom::exchange::internal {
namespace {

constexpr std::array<std::string_view, 20> matlab_words = {
    "break",  "case", "catch",     "classdef", "continue",   "else",   "elseif", "end",    "for", "function",
    "global", "if",   "otherwise", "parfor",   "persistent", "return", "spmd",   "switch", "try", "while"};

/// A name that MATLAB takes for a function, and so for its file.
std::string matlab_name(const std::string& robot) {
  std::string name = ros_name(robot);
  if (std::ranges::find(matlab_words, name) != matlab_words.end()) name += "_robot";
  return name.substr(0, 63);
}

/// Text that stays on the line of its comment.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return line;
}

template <class Matrix>
std::string matlab_matrix(const Matrix& m) {
  if (m.cols() == 0) return fmt::format("zeros({}, 0)", m.rows());
  std::string text = "[";
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    if (i) text += m.cols() == 1 ? "; " : ";\n        ";
    for (Eigen::Index j = 0; j < m.cols(); ++j) (text += j ? ", " : "") += number_text(m(i, j));
  }
  return text + ']';
}

class MatlabText {
 public:
  void line(const std::string& text = "") { text_ += text + '\n'; }
  template <class Matrix>
  void matrix(const std::string& name, const Matrix& m, const std::string& what) {
    line("% " + what);
    line(fmt::format("{} = {};", name, matlab_matrix(m)));
  }
  void number(const std::string& name, double value, const std::string& what) {
    line(fmt::format("{} = {};  % {}", name, number_text(value), what));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void write_head(MatlabText& m, const model::Robot& robot, const std::string& name) {
  m.line(fmt::format("function [xdot, M, C, D, g, B] = {}(x, tau, v_c)", name));
  m.line(fmt::format("% {}: equations of motion of '{}' in Fossen's style; written by Fathom.", name,
                     one_line(robot.name())));
  m.line("%");
  m.line("%   M nu_dot + C(nu_r) nu_r + D(nu_r) nu_r + g = tau      in still water");
  m.line("%");
  m.line("% x    12 x 1: [u v w p q r  x y z  phi theta psi]', body axes forward, starboard, down,");
  m.line("%      world axes north, east, down; m, rad, s");
  m.line("% tau  6 x 1: [X Y Z K M N]' at the body origin, N and N m. Of thruster forces f: tau = B*f");
  m.line("% v_c  3 x 1: velocity of a steady current, north, east, down, m/s; none if left out");
  m.line("%");
  m.line("% M, C, D and g are those of the equation above; C and D at the velocity relative to the water.");
  m.line("% B has a column for each thruster, in the order of the robot file:");
  for (const model::Thruster& thruster : robot.thrusters())
    m.line(fmt::format("%   {}", one_line(thruster.name)));
  m.line();
  m.line("if nargin < 3");
  m.line("    v_c = [0; 0; 0];");
  m.line("end");
  m.line();
}

void write_hull(MatlabText& m, const model::Hull& hull, const model::Environment& environment) {
  m.number("rho", environment.density(), "kg/m^3, water");
  m.number("g0", environment.gravity(), "m/s^2");
  m.number("m", hull.mass.value, "kg, dry");
  m.number("V", hull.volume.value, "m^3 of displaced water");
  m.matrix("r_g", hull.centre_of_mass.value, "centre of mass, m, from the body origin");
  m.matrix("r_b", hull.centre_of_buoyancy.value, "centre of buoyancy, m");
  m.matrix("I_g", hull.inertia.value, "inertia about the centre of mass, kg m^2");
  m.line("W = m*g0;");
  m.line("Bu = rho*g0*V;");
  m.line("MRB = [m*eye(3), -m*Smtrx(r_g);");
  m.line("       m*Smtrx(r_g), I_g - m*Smtrx(r_g)*Smtrx(r_g)];");
  m.line();
  m.line("% Added mass at the body origin, positive: MA = -[X_udot X_vdot X_wdot X_pdot X_qdot X_rdot;");
  m.line("%   Y_udot ... Y_rdot; Z_udot ...; K_udot ...; M_udot ...; N_udot ... N_rdot] in SNAME's names.");
  m.line(fmt::format("% X_udot = {}, Y_vdot = {}, Z_wdot = {}, K_pdot = {}, M_qdot = {}, N_rdot = {}",
                     number_text(-hull.added_mass.value(0, 0)), number_text(-hull.added_mass.value(1, 1)),
                     number_text(-hull.added_mass.value(2, 2)), number_text(-hull.added_mass.value(3, 3)),
                     number_text(-hull.added_mass.value(4, 4)), number_text(-hull.added_mass.value(5, 5))));
  m.line(fmt::format("MA = {};", matlab_matrix(hull.added_mass.value)));
  m.line("M = MRB + MA;");
  m.line();
}

void write_motion(MatlabText& m) {
  m.line("nu = x(1:6);");
  m.line("phi = x(10);");
  m.line("theta = x(11);");
  m.line("psi = x(12);");
  m.line("R = Rzyx(phi, theta, psi);");
  m.line("v_c_b = R'*v_c;");
  m.line("nu_r = nu - [v_c_b; zeros(3, 1)];");
  m.line("C = m2c(M, nu_r);");
  m.line();
}

/// docs/model.md eqs. 10 and 11, element by element.
void write_damping(MatlabText& m, const std::vector<model::DragElement>& damping) {
  m.line("D = zeros(6, 6);");
  for (const model::DragElement& element : damping) {
    m.line();
    m.line(fmt::format("% damping of '{}': H'*(DL + sum of |nu_j| Q_j)*H, positive, so X_u = -DL(1,1),",
                       one_line(element.name)));
    m.line("% X_|u|u = -Q1(1,1) and so on");
    if (element.at_origin())
      m.line("H = eye(6);");
    else
      m.matrix("H", twist_transform(element.pose()),
               "from the twist at the body origin to that of its own frame");
    m.line("nu_e = abs(H*nu_r);");
    m.line(fmt::format("DL = {};", matlab_matrix(element.linear.value)));
    m.line("De = DL;");
    for (std::size_t j = 0; j < 6; ++j) {
      const Mat6& Q = element.quadratic.value.by_speed[j];
      if (Q.isZero(0)) continue;
      m.line(fmt::format("Q{} = {};", j + 1, matlab_matrix(Q)));
      m.line(fmt::format("De = De + nu_e({0})*Q{0};", j + 1));
    }
    m.line("D = D + H'*De*H;");
  }
  m.line();
}

void write_end(MatlabText& m, const model::Robot& robot) {
  m.line("g = gvect(W, Bu, theta, phi, r_g, r_b);");
  m.matrix("B", model::allocation_matrix(robot), "tau = B*f, f the forces of the thrusters, N");
  m.line();
  m.line("% the current is steady in the world, so it turns in the body: -omega x v_c_b");
  m.line("nu_c_dot = [-Smtrx(nu(4:6))*v_c_b; zeros(3, 1)];");
  m.line("nu_dot = nu_c_dot + M\\(tau - C*nu_r - D*nu_r - g);");
  m.line("p_dot = R*nu(1:3);");
  m.line("att_dot = Tzyx(phi, theta)*nu(4:6);");
  m.line("xdot = [nu_dot; p_dot; att_dot];");
  m.line("end");
}

/// What the MSS toolbox has by these names, so that the file needs no toolbox.
void write_tools(MatlabText& m) {
  m.line();
  m.line("function S = Smtrx(a)");
  m.line("% S*b = cross(a, b)");
  m.line("S = [0, -a(3), a(2); a(3), 0, -a(1); -a(2), a(1), 0];");
  m.line("end");
  m.line();
  m.line("function C = m2c(M, nu)");
  m.line("% Coriolis and centripetal matrix of a symmetric M; Fossen 2011, eq. 6.43");
  m.line("h = M*nu;");
  m.line("C = [zeros(3, 3), -Smtrx(h(1:3)); -Smtrx(h(1:3)), -Smtrx(h(4:6))];");
  m.line("end");
  m.line();
  m.line("function g = gvect(W, Bu, theta, phi, r_g, r_b)");
  m.line("% restoring forces; Fossen 2011, eq. 4.7. A heavy vehicle has g(3) < 0");
  m.line("d = W*r_g - Bu*r_b;");
  m.line("g = [(W - Bu)*sin(theta);");
  m.line("     -(W - Bu)*cos(theta)*sin(phi);");
  m.line("     -(W - Bu)*cos(theta)*cos(phi);");
  m.line("     -d(2)*cos(theta)*cos(phi) + d(3)*cos(theta)*sin(phi);");
  m.line("     d(3)*sin(theta) + d(1)*cos(theta)*cos(phi);");
  m.line("     -d(1)*cos(theta)*sin(phi) - d(2)*sin(theta)];");
  m.line("end");
  m.line();
  m.line("function R = Rzyx(phi, theta, psi)");
  m.line("% from body axes to north, east, down");
  m.line("Rz = [cos(psi), -sin(psi), 0; sin(psi), cos(psi), 0; 0, 0, 1];");
  m.line("Ry = [cos(theta), 0, sin(theta); 0, 1, 0; -sin(theta), 0, cos(theta)];");
  m.line("Rx = [1, 0, 0; 0, cos(phi), -sin(phi); 0, sin(phi), cos(phi)];");
  m.line("R = Rz*Ry*Rx;");
  m.line("end");
  m.line();
  m.line("function T = Tzyx(phi, theta)");
  m.line("% rates of phi, theta, psi from p, q, r; singular at theta = +-90 degrees");
  m.line("T = [1, sin(phi)*tan(theta), cos(phi)*tan(theta);");
  m.line("     0, cos(phi), -sin(phi);");
  m.line("     0, sin(phi)/cos(theta), cos(phi)/cos(theta)];");
  m.line("end");
}

}  // namespace

Exported to_matlab(const model::Robot& robot, const ExportOptions& options) {
  const std::string name = matlab_name(robot.name());
  MatlabText m;
  write_head(m, robot, name);
  write_hull(m, robot.hull(), options.environment);
  write_motion(m);
  write_damping(m, robot.damping());
  write_end(m, robot);
  write_tools(m);
  Exported exported;
  exported.files.push_back({name + ".m", m.take()});
  lose_how_thrusters_act(robot, "the MATLAB function, whose input is the wrench,", exported.losses);
  add_common_losses(robot, exported.losses);
  return exported;
}

}  // namespace fathom::exchange::internal
