// Collapsing of axes of an output and of reductions.
#include "lower/collapse_axes.h"

#include <algorithm>

namespace tileops::lower {

std::vector<int> needed_values(const ScalarProgram& program, int value) {
  std::vector<bool> seen(program.values.size(), false);
  std::vector<int> open{value}, found;
  while (!open.empty()) {
    int next = open.back();
    open.pop_back();
    if (next < 0 || seen[static_cast<std::size_t>(next)]) continue;
    seen[static_cast<std::size_t>(next)] = true;
    found.push_back(next);
    const Value& v = program.at(next);
    open.insert(open.end(), v.args.begin(), v.args.end());
    for (const auto& [place, step] : v.computed) open.push_back(place);
    open.push_back(v.body);
    open.push_back(v.filter);
    open.push_back(v.otherwise);
  }
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

class Collapser {
 public:
  Collapser(ScalarProgram& program, OutputProgram& output)
      : program_(program), output_(output), needed_(needed_values(program, output.value)) {}

  void run() {
    collapse(output_.axes, &output_.steps);
    for (int index : needed_) {
      Value& v = program_.values[static_cast<std::size_t>(index)];
      if (v.kind == Kind::kReduce) collapse(v.over, nullptr);
    }
  }

 private:
  std::int64_t& size(int var) { return program_.vars[static_cast<std::size_t>(var)].size; }

  bool is_counted(int var) const {  // its number is used, not only as a place
    return std::any_of(needed_.begin(), needed_.end(), [&](int index) {
      const Value& v = program_.at(index);
      bool names = v.kind == Kind::kVar && v.var == var;
      bool places = std::any_of(v.computed.begin(), v.computed.end(), [&](const auto& place) {
        return (program_.at(place.first).vars >> var & 1) != 0;
      });
      return (names && used_as_number(index)) || places;
    });
  }
  bool used_as_number(int value) const {
    return std::any_of(needed_.begin(), needed_.end(),
                       [&](int index) {
                         const Value& v = program_.at(index);
                         return std::find(v.args.begin(), v.args.end(), value) != v.args.end() ||
                                v.body == value || v.filter == value;
                       }) ||
           output_.value == value;
  }

  bool mergeable(int outer, int inner, std::int64_t outer_step, std::int64_t inner_step) {
    if (size(outer) < 0 || size(inner) < 0 || is_counted(outer) || is_counted(inner)) return false;
    if (outer_step != size(inner) * inner_step) return false;
    return std::all_of(needed_.begin(), needed_.end(), [&](int index) {
      const Value& v = program_.at(index);
      return v.kind != Kind::kLoad || v.steps[static_cast<std::size_t>(outer)] ==
                                          size(inner) * v.steps[static_cast<std::size_t>(inner)];
    });
  }

  /// The variable stays at 0 from here on.
  void drop(int var) {
    for (int index : needed_) {
      Value& v = program_.values[static_cast<std::size_t>(index)];
      if (v.kind == Kind::kLoad) v.steps[static_cast<std::size_t>(var)] = 0;
    }
  }

  void collapse(std::vector<int>& axes, std::vector<std::int64_t>* steps) {
    for (std::size_t i = axes.size(); i-- > 0;) {
      if (axes.size() == 1 || size(axes[i]) != 1 || is_counted(axes[i])) continue;
      drop(axes[i]);
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
      if (steps) steps->erase(steps->begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t i = axes.size(); i-- > 1;) {
      std::int64_t outer_step = steps ? (*steps)[i - 1] : 0, inner_step = steps ? (*steps)[i] : 0;
      if (!mergeable(axes[i - 1], axes[i], outer_step, inner_step)) continue;
      size(axes[i]) *= size(axes[i - 1]);
      drop(axes[i - 1]);
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i) - 1);
      if (steps) steps->erase(steps->begin() + static_cast<std::ptrdiff_t>(i) - 1);
    }
  }

  ScalarProgram& program_;
  OutputProgram& output_;
  std::vector<int> needed_;
};

}  // namespace

void collapse_axes(ScalarProgram& program, OutputProgram& output) {
  Collapser(program, output).run();
}

}  // namespace tileops::lower
