#include "fathom/report/internal/page_data.hpp"

#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "fathom/report/internal/decimate.hpp"
#include "fathom/report/internal/escape.hpp"

namespace fathom::report::internal {
namespace {

using Json = nlohmann::ordered_json;

std::vector<double> pick(const std::vector<double>& values, const std::vector<std::size_t>& indices) {
  std::vector<double> result;
  result.reserve(indices.size());
  for (const std::size_t i : indices) result.push_back(values[i]);
  return result;
}

Json triple(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

const char* word(Series::Style style) {
  switch (style) {
    case Series::Style::line: return "line";
    case Series::Style::dashed: return "dashed";
    case Series::Style::points: return "points";
    case Series::Style::limit: return "limit";
  }
  return "line";
}

class Packer {
 public:
  void operator()(const Figures&) {}
  void operator()(const Text&) {}
  void operator()(const Table&) {}
  void operator()(const Bars&) {}
  void operator()(const Boxes&) {}

  void operator()(const Plot& plot) {
    thinned_.emplace_back();
    Json item = {{"kind", "plot"},
                 {"title", clean_text(plot.title)},
                 {"y_label", clean_text(plot.y_label)},
                 {"y_unit", clean_text(plot.y_unit)},
                 {"x_label", clean_text(plot.x_label)},
                 {"series", Json::array()},
                 {"bands", Json::array()},
                 {"marks", Json::array()}};
    for (const Series& series : plot.series) {
      const auto kept = internal::decimate(series.y);
      item["series"].push_back({{"name", clean_text(series.name)},
                                {"style", word(series.style)},
                                {"t", times(pick(series.t, kept))},
                                {"y", values(pick(series.y, kept))}});
      count(series.name, kept.size(), series.t.size());
    }
    for (const Band& band : plot.bands) {
      const auto kept = internal::decimate(band.low, band.high);
      item["bands"].push_back({{"name", clean_text(band.name)},
                               {"t", times(pick(band.t, kept))},
                               {"low", values(pick(band.low, kept))},
                               {"high", values(pick(band.high, kept))}});
      count(band.name, kept.size(), band.t.size());
    }
    for (const Mark& mark : plot.marks)
      item["marks"].push_back({{"t", mark.t}, {"label", clean_text(mark.label)}});
    items_.push_back(std::move(item));
  }

  void operator()(const Scene& scene) {
    thinned_.emplace_back();
    Json item = {{"kind", "scene"},        {"title", clean_text(scene.title)}, {"bodies", Json::array()},
                 {"paths", Json::array()}, {"waypoints", Json::array()},       {"tank", nullptr},
                 {"current", nullptr},     {"markers", Json::array()}};
    for (const Body& body : scene.bodies) item["bodies"].push_back(motion(body));
    for (const Path3& path : scene.paths) {
      std::vector<double> points;
      std::size_t kept = 0;
      for (const std::size_t i : internal::decimate_evenly(path.points_n.size())) {
        const Vec3& p = path.points_n[i];
        if (!p.allFinite()) continue;
        points.insert(points.end(), {p.x(), p.y(), p.z()});
        ++kept;
      }
      item["paths"].push_back(
          {{"name", clean_text(path.name)}, {"p", values(points)}, {"dashed", path.dashed}});
      count(path.name, kept, path.points_n.size());
    }
    for (const Vec3& point : scene.waypoints_n)
      if (point.allFinite()) item["waypoints"].push_back(triple(point));
    if (scene.tank_n) item["tank"] = {{"min", triple(scene.tank_n->min)}, {"max", triple(scene.tank_n->max)}};
    if (scene.current_n) item["current"] = triple(*scene.current_n);
    for (const Marker& marker : scene.markers)
      item["markers"].push_back({{"name", clean_text(marker.name)},
                                 {"p", triple(marker.p_n)},
                                 {"vector", triple(marker.vector_n)},
                                 {"label", clean_text(marker.label)},
                                 {"kind", clean_text(marker.kind)},
                                 {"group", clean_text(marker.group)}});
    items_.push_back(std::move(item));
  }

  PageData finish() {
    const Json all = {{"arrays", std::move(arrays_)}, {"items", std::move(items_)}};
    return {escape_json_in_script(all.dump(-1, ' ', true, Json::error_handler_t::replace)),
            std::move(thinned_)};
  }

 private:
  Json motion(const Body& body) {
    std::vector<std::size_t> good;
    for (std::size_t i = 0; i < body.t.size(); ++i)
      if (body.p_n[i].allFinite() && body.q_nb[i].coeffs().allFinite() && body.q_nb[i].norm() > 0)
        good.push_back(i);
    std::vector<double> t, p, q;
    for (const std::size_t k : internal::decimate_evenly(good.size())) {
      const std::size_t i = good[k];
      const Quat q_nb = body.q_nb[i].normalized();
      t.push_back(body.t[i]);
      p.insert(p.end(), {body.p_n[i].x(), body.p_n[i].y(), body.p_n[i].z()});
      q.insert(q.end(), {q_nb.w(), q_nb.x(), q_nb.y(), q_nb.z()});
    }
    count(body.name, t.size(), body.t.size());
    Json thrusters = Json::array();
    for (const Thruster& thruster : body.thrusters)
      thrusters.push_back(
          {{"position", triple(thruster.position_b)}, {"direction", triple(thruster.direction_b)}});
    return {{"name", clean_text(body.name)},
            {"size", triple(body.size)},
            {"thrusters", std::move(thrusters)},
            {"t", times(t)},
            {"p", values(p)},
            {"q", values(q)}};
  }

  void count(const std::string& name, std::size_t shown, std::size_t of) {
    if (shown < of) thinned_.back().push_back({name, shown, of});
  }

  // Series often share their times: an array that is there already is not stored again.
  std::size_t store(std::string key, Json array) {
    const auto [place, is_new] = known_.try_emplace(std::move(key), arrays_.size());
    if (is_new) arrays_.push_back(std::move(array));
    return place->second;
  }
  std::size_t values(const std::vector<double>& v) {
    std::string packed = floats_base64(v);
    return store(packed, packed);
  }
  std::size_t times(const std::vector<double>& t) {
    const double start = t.empty() ? 0 : t.front();
    const std::string packed = floats_base64(time_steps(t));
    Json array = {{"start", start}, {"steps", packed}};
    return store(array.dump(), array);
  }

  Json arrays_ = Json::array(), items_ = Json::array();
  std::map<std::string, std::size_t> known_;
  std::vector<std::vector<Shown>> thinned_;
};

}  // namespace

PageData page_data(const Page& page) {
  Packer packer;
  for (const Item& item : page.items) std::visit(packer, item);
  return packer.finish();
}

}  // namespace fathom::report::internal
