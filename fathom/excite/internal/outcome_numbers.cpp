#include "fathom/excite/internal/outcome_numbers.hpp"

namespace fathom::excite::internal {
namespace {

/// Reads what numbers_of has written, in the same order.
class Reader {
 public:
  explicit Reader(const std::vector<double>& numbers) : at_(numbers.begin()) {}
  double number() { return *at_++; }
  int whole() { return static_cast<int>(number()); }
  template <class List>
  List list() {
    const auto count = static_cast<std::ptrdiff_t>(number());
    List out(at_, at_ + count);
    at_ += count;
    return out;
  }

 private:
  std::vector<double>::const_iterator at_;
};

template <class List>
void append(std::vector<double>& out, const List& list) {
  out.push_back(static_cast<double>(list.size()));
  out.insert(out.end(), list.begin(), list.end());
}

}  // namespace

std::vector<double> numbers_of(const Outcome& outcome) {
  const auto& r = outcome.result;
  std::vector<double> out = {outcome.start.first, outcome.start.last, outcome.start.was_shrunk ? 1.0 : 0.0,
                             static_cast<double>(r.status)};
  for (const int count : {outcome.start.iterations, r.iterations, r.evaluations}) out.push_back(count);
  for (const double number : {r.f, r.stationarity, r.complementarity, r.margin}) out.push_back(number);
  append(out, r.reason);
  append(out, r.x);
  append(out, outcome.history);
  return out;
}

Outcome outcome_of(int number, const std::vector<double>& numbers) {
  Reader in(numbers);
  Outcome outcome;
  auto& r = outcome.result;
  outcome.start.number = number;
  outcome.start.first = in.number();
  outcome.start.last = in.number();
  outcome.start.was_shrunk = in.whole() != 0;
  r.status = outcome.start.status = static_cast<solve::InteriorPointResult::Status>(in.whole());
  outcome.start.iterations = in.whole();
  r.iterations = in.whole();
  r.evaluations = in.whole();
  r.f = in.number();
  r.stationarity = in.number();
  r.complementarity = in.number();
  r.margin = in.number();
  for (const double letter : in.list<std::vector<double>>()) r.reason += static_cast<char>(letter);
  const auto x = in.list<std::vector<double>>();
  r.x = Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  outcome.history = in.list<std::vector<double>>();
  return outcome;
}

}  // namespace fathom::excite::internal
