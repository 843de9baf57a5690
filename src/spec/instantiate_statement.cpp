// Groups become plain indices, names become literals, ranges become numbers.
#include "spec/instantiate_statement.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "spec/fold.h"
#include "spec/names.h"
#include "spec/print.h"
#include "spec/print_expr.h"
#include "spec/rewrite.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

Error wrong(const Scope& scope,
            const ExprPtr& at,
            std::string expected,
            ErrorKind kind = ErrorKind::kValue) {
  return Error(kind, {scope.op().name, print(at), std::move(expected), {}, {}});
}

std::string upper(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// `j` of `j_1`: expansion names an index of its own after the one that it copies.
std::string stem(const std::string& name) {
  std::size_t end = name.find_last_not_of("0123456789");
  bool numbered = end != std::string::npos && end > 0 && end + 1 < name.size() && name[end] == '_';
  return numbered ? stem(name.substr(0, end)) : name;
}

/// Sizes that a plain use `x[..., name, ...]` of an index or group implies.
std::optional<Ints> use_of(const Binder& binder,
                           const ExprPtr& expr,
                           const InstanceTensors& tensors) {
  std::optional<Ints> found;
  for_each_node(expr, [&](const ExprPtr& node) {
    const auto* access = get_if<Access>(node);
    const TensorPlaces* places = access && !found ? tensors.find(access->tensor) : nullptr;
    if (!places || places->places.size() != access->subscripts.size()) return;
    for (std::size_t i = 0; i < access->subscripts.size(); ++i) {
      const Subscript& subscript = access->subscripts[i];
      const Place& place = places->places[i];
      const auto* name = get_if<Name>(subscript.expr);
      bool same = binder.group
                      ? subscript.kind != Subscript::Kind::kExpr && subscript.group == binder.name
                      : name && name->name == binder.name;
      if (!same) continue;
      const Ints& shape = tensors.tensor(*places).shape;
      auto first = shape.begin() + static_cast<std::ptrdiff_t>(place.first);
      found = Ints(first, first + static_cast<std::ptrdiff_t>(place.count));
      return;
    }
  });
  return found;
}

}  // namespace

Ints StatementInstantiator::range_of(const Binder& binder, const std::vector<ExprPtr>& uses) const {
  std::string axis = upper(stem(binder.name));
  if (binder.group) {
    if (const Ints* sizes = scope_.group(axis)) return *sizes;
  } else if (axis != binder.name) {
    const ParamValue* size = scope_.find(axis);
    if (size && std::holds_alternative<std::int64_t>(*size)) return {std::get<std::int64_t>(*size)};
  }
  for (const ExprPtr& use : uses) {
    if (!use) continue;
    if (auto sizes = use_of(binder, use, tensors_)) return *sizes;
  }
  auto copied = ranges_.find(stem(binder.name));  // softmax(j | keep(j): ...) reads j nowhere else
  if (copied != ranges_.end()) return copied->second;
  throw Error(ErrorKind::kValue,
              {scope_.op().name, print(binder), "an index with a range", "none",
               "name an axis " + axis + ", use it alone in an access, or write " + binder.name +
                   " in 0..size"});
}

std::vector<Binder> StatementInstantiator::bind(const Binder& binder,
                                                const std::vector<ExprPtr>& uses,
                                                const Ints* known_sizes) {
  std::vector<Binder> out;
  auto plain = [&](const std::string& wish, ExprPtr lo, ExprPtr hi) {
    Binder one;
    one.name = fresh_.fresh(wish);
    one.lo = std::move(lo);
    one.hi = std::move(hi);
    one.span = binder.span;
    out.push_back(one);
    return one.name;
  };
  if (!binder.group) {
    if (binder.lo && !known_sizes) {
      ExprPtr lo = lower(binder.lo), hi = lower(binder.hi);
      indices_[binder.name] = plain(binder.name, lo, hi);
    } else {
      std::int64_t size = known_sizes ? known_sizes->at(0) : range_of(binder, uses).at(0);
      ranges_[binder.name] = {size};
      indices_[binder.name] =
          plain(binder.name, literal(std::int64_t{0}, binder.span), literal(size, binder.span));
    }
    return out;
  }
  Ints sizes = known_sizes ? *known_sizes : range_of(binder, uses);
  Names names;
  std::string stem = binder.name.empty() ? "i" : binder.name;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    names.push_back(plain(sizes.size() == 1 ? stem : stem + std::to_string(i),
                          literal(std::int64_t{0}, binder.span), literal(sizes[i], binder.span)));
  }
  groups_[binder.name] = std::move(names);
  ranges_[binder.name] = sizes;
  group_sizes_[binder.name] = std::move(sizes);
  return out;
}

namespace {

/// Axes of a split group in their order: each is of the kept ones or of the others.
std::vector<Binder> interleaved(std::vector<Binder> kept,
                                std::vector<Binder> others,
                                const std::vector<bool>& is_other) {
  std::vector<Binder> out;
  std::size_t next[2] = {0, 0};
  for (const bool other : is_other) {
    out.push_back(std::move((other ? others : kept).at(next[other ? 1 : 0]++)));
  }
  return out;
}

}  // namespace

void StatementInstantiator::bind_target(const Define& define,
                                        Define& out,
                                        std::vector<Place>& places,
                                        Ints& shape) {
  const TensorPlaces* known = tensors_.find(out.target.tensor);
  const auto& subscripts = define.target.subscripts;
  std::size_t at = 0;
  auto add = [&](std::vector<Binder> bound) {
    for (Binder& one : bound) {
      Subscript index;
      index.expr = make_expr(Name{one.name}, Type::kInt, one.span);
      index.span = one.span;
      targets_.insert(one.name);
      out.target.subscripts.push_back(std::move(index));
      out.indices.push_back(std::move(one));
    }
  };
  if (known) {
    for (const Place& place : known->places) {
      if (at < subscripts.size()) add(bind_place(define, at, place, tensors_.tensor(*known)));
    }
    if (at != subscripts.size() || out.indices.size() != tensors_.tensor(*known).shape.size()) {
      throw wrong(scope_, make_expr(define.target),
                  std::to_string(known->places.size()) + " subscripts");
    }
    return;
  }
  const std::vector<ExprPtr> uses = {define.value, define.otherwise, define.domain};
  for (; at < subscripts.size(); ++at) {
    const Binder& binder = binder_at(define, at);
    const bool leading = subscripts[at].kind == Subscript::Kind::kEllipsis && scope_.group("");
    const Ints sizes = leading ? *scope_.group("") : range_of(binder, uses);
    places.push_back({subscripts[at].kind, subscripts[at].group, shape.size(), sizes.size()});
    shape.insert(shape.end(), sizes.begin(), sizes.end());
    add(bind(binder, uses, &sizes));
  }
}

const Binder& StatementInstantiator::binder_at(const Define& define, std::size_t at) const {
  const Binder& binder = define.indices.at(at);
  if (binder.name.empty() && !binder.group) {
    throw wrong(scope_, make_expr(define.target), "one plain index an axis on the left",
                ErrorKind::kNotImplemented);
  }
  return binder;
}

/// Binders of the axes of one place; `at` moves past the subscripts that it takes.
std::vector<Binder> StatementInstantiator::bind_place(const Define& define,
                                                      std::size_t& at,
                                                      const Place& place,
                                                      const TensorInstance& tensor) {
  const std::vector<ExprPtr> uses = {define.value, define.otherwise, define.domain};
  const Binder& binder = binder_at(define, at++);
  if (const Scope::UnitGroup* unit = scope_.unit_group(place.group)) {
    std::vector<Binder> ones;
    for (std::size_t i = 0; i < unit->chosen.size(); ++i) {
      Binder one;
      one.name = fresh_.fresh("one");
      one.lo = literal(std::int64_t{0});
      one.hi = literal(std::int64_t{1});
      ones.push_back(std::move(one));
    }
    return interleaved(bind(binder, uses, scope_.group(unit->kept)), std::move(ones), unit->chosen);
  }
  const Split* split = split_of(place.group);
  const bool two = split && at < define.indices.size() && binder.group && define.indices[at].group;
  if (two) {
    std::vector<Binder> kept = bind(binder, uses, scope_.group(split->kept));
    std::vector<Binder> chosen = bind(binder_at(define, at++), uses, scope_.group(split->chosen));
    return interleaved(std::move(kept), std::move(chosen), *scope_.split_mask(place.group));
  }
  const auto first = tensor.shape.begin() + static_cast<std::ptrdiff_t>(place.first);
  const Ints sizes(first, first + static_cast<std::ptrdiff_t>(place.count));
  if (!binder.group && sizes.size() != 1) {
    throw wrong(scope_, make_expr(define.target), "a group where the shape has one");
  }
  return bind(binder, uses, &sizes);
}

const Split* StatementInstantiator::split_of(const std::string& group) const {
  for (const Split& split : scope_.op().splits) {
    if (!group.empty() && split.group == group && scope_.split_mask(group)) return &split;
  }
  return nullptr;
}

Define StatementInstantiator::run(const Define& define) {
  Define out;
  out.target.tensor = define.target.tensor + (define.target.primed ? "'" : "");
  out.span = define.span;
  std::vector<Place> places;
  Ints shape;
  bind_target(define, out, places, shape);
  out.value = lower(define.value);
  if (define.domain) {
    ExprPtr domain = lower(define.domain);
    bool everywhere = get_if<BoolLit>(domain) && get_if<BoolLit>(domain)->value;
    if (define.otherwise) {
      out.value = folded(Select{domain, out.value, lower(define.otherwise)}, define.span);
    } else if (!everywhere) {
      out.domain = domain;
    }
  }
  if (!tensors_.find(out.target.tensor)) {
    tensors_.add_local(out.target.tensor, out.value->type, std::move(shape), std::move(places));
  }
  return out;
}

ExprPtr StatementInstantiator::lower(const ExprPtr& expr) {
  if (const auto* x = get_if<Name>(expr)) return name(expr, *x);
  if (const auto* x = get_if<Access>(expr)) return access(expr, *x);
  if (const auto* x = get_if<Reduce>(expr)) return reduce(expr, *x);
  if (const auto* x = get_if<Given>(expr)) return literal(scope_.given(x->name), expr->span);
  if (const auto* x = get_if<Select>(expr)) {
    // The branch not taken may speak of tensors that are absent.
    ExprPtr condition = lower(x->condition);
    if (const auto* known = get_if<BoolLit>(condition)) {
      return lower(known->value ? x->then : x->otherwise);
    }
    return folded(Select{condition, lower(x->then), lower(x->otherwise)}, expr->span);
  }
  if (const auto* x = get_if<Coalesce>(expr)) {
    ExprPtr value = lower(x->value);
    return get_if<NoneLit>(value) ? lower(x->fallback) : value;
  }
  if (const auto* x = get_if<Apply>(expr); x && (x->op == Op::kAnd || x->op == Op::kOr)) {
    ExprPtr left = lower(x->args[0]);
    const auto* known = get_if<BoolLit>(left);
    if (known && known->value == (x->op == Op::kOr)) return left;
    return folded(Apply{x->op, {left, lower(x->args[1])}}, expr->span);
  }
  if (const auto* x = get_if<Call>(expr)) {
    if (call_function_type(x->function)) return literal(evaluate(expr, scope_), expr->span);
  }
  if (get_if<GroupRef>(expr) || get_if<ShapeLit>(expr)) {
    return literal(evaluate(expr, scope_), expr->span);
  }
  ExprPtr inner = with_children(expr, [&](const ExprPtr& child) { return lower(child); });
  return folded(inner->node, expr->span);
}

ExprPtr StatementInstantiator::name(const ExprPtr& expr, const Name& name) {
  auto index = indices_.find(name.name);
  if (index != indices_.end()) return make_expr(Name{index->second}, Type::kInt, expr->span);
  if (tensors_.find(name.name)) return access(expr, {name.name, false, {}});
  if (const ParamValue* value = scope_.find(name.name)) return literal(*value, expr->span);
  throw wrong(scope_, expr, "a known name");
}

ExprPtr StatementInstantiator::access(const ExprPtr& expr, const Access& access) {
  std::string tensor_name = access.tensor + (access.primed ? "'" : "");
  const TensorPlaces* places = tensors_.find(tensor_name);
  if (!places) {
    return literal(
        evaluate(with_children(expr, [&](const ExprPtr& child) { return lower(child); }), scope_),
        expr->span);
  }
  const TensorInstance& tensor = tensors_.tensor(*places);
  Access out{tensor_name, false, {}};
  std::size_t at = 0;
  for (const Place& place : places->places) {
    bool split = add_split(place, access, at, out);
    if (!split && at >= access.subscripts.size()) break;
    if (!split) add_place(place, access.subscripts[at++], tensor, out, expr);
  }
  if (at != access.subscripts.size() || out.subscripts.size() != tensor.shape.size()) {
    throw wrong(scope_, expr, std::to_string(places->places.size()) + " subscripts");
  }
  return make_expr(std::move(out), tensor.type, expr->span);
}

/// `x[k..., d...]` where S... is split into k... and d...: each axis is of the one or the other.
bool StatementInstantiator::add_split(const Place& place,
                                      const Access& access,
                                      std::size_t& at,
                                      Access& out) {
  const std::vector<bool>* chosen = scope_.split_mask(place.group);
  if (place.kind != Subscript::Kind::kGroup || !chosen || at + 1 >= access.subscripts.size()) {
    return false;
  }
  auto kept = groups_.find(access.subscripts[at].group);
  auto taken = groups_.find(access.subscripts[at + 1].group);
  bool both = kept != groups_.end() && taken != groups_.end();
  if (!both || kept->second.size() + taken->second.size() != place.count) return false;
  std::size_t next[2] = {0, 0};
  for (bool is_chosen : *chosen) {
    const Names& names = is_chosen ? taken->second : kept->second;
    Subscript one;
    one.expr = make_expr(Name{names[next[is_chosen]++]}, Type::kInt);
    out.subscripts.push_back(std::move(one));
  }
  at += 2;
  return true;
}

void StatementInstantiator::add_place(const Place& place,
                                      const Subscript& subscript,
                                      const TensorInstance& tensor,
                                      Access& out,
                                      const ExprPtr& whole) {
  auto push = [&](ExprPtr index) {
    Subscript one;
    one.expr = std::move(index);
    one.span = subscript.span;
    out.subscripts.push_back(std::move(one));
  };
  if (subscript.kind == Subscript::Kind::kExpr) {
    if (place.count != 1) throw wrong(scope_, whole, "a group where the shape has one");
    push(lower(subscript.expr));
    return;
  }
  auto group = groups_.find(subscript.group);
  if (group == groups_.end()) {
    throw wrong(scope_, whole, "a group of indices that is bound (" + subscript.group + "...)");
  }
  const Names& names = group->second;
  if (const Scope::UnitGroup* unit = scope_.unit_group(place.group)) {
    auto next = names.begin();
    for (const bool is_unit : unit->chosen) {
      if (!is_unit && next == names.end()) break;
      push(is_unit ? literal(std::int64_t{0}) : make_expr(Name{*next++}, Type::kInt));
    }
    return;
  }
  const Ints& sizes = group_sizes_.at(subscript.group);
  bool broadcasts = place.kind == Subscript::Kind::kEllipsis;
  if (place.count > names.size() || (!broadcasts && place.count != names.size())) {
    throw wrong(scope_, whole, "a group of " + std::to_string(place.count) + " axes");
  }
  for (std::size_t i = 0; i < place.count; ++i) {
    std::size_t at = names.size() - place.count + i;
    bool one = tensor.shape[place.first + i] == 1 && sizes[at] != 1;
    push(one ? literal(std::int64_t{0}) : make_expr(Name{names[at]}, Type::kInt));
  }
}

ExprPtr StatementInstantiator::reduce(const ExprPtr& expr, const Reduce& reduce) {
  if (reduce.op == ReduceOp::kNth) {
    throw wrong(scope_, expr, "a construct that is evaluated (`nth` is not yet)",
                ErrorKind::kNotImplemented);
  }
  auto indices = indices_;
  auto groups = groups_;
  auto sizes = group_sizes_;
  Reduce out = reduce;
  out.binders.clear();
  std::vector<ExprPtr> uses = {reduce.body, reduce.filter};
  for (const Binder& binder : reduce.binders) {
    for (Binder& one : bind(binder, uses, nullptr)) out.binders.push_back(std::move(one));
  }
  if (out.binders.empty()) {  // over an empty group of axes: one element
    Binder one;
    one.name = fresh_.fresh("one");
    one.lo = literal(std::int64_t{0});
    one.hi = literal(std::int64_t{1});
    out.binders.push_back(std::move(one));
  }
  out.filter = reduce.filter ? lower(reduce.filter) : nullptr;
  out.body = lower(reduce.body);
  indices_ = std::move(indices);
  groups_ = std::move(groups);
  group_sizes_ = std::move(sizes);
  canonical_names(out);
  if (reduce.otherwise) out.otherwise = lower(reduce.otherwise);
  return folded(std::move(out), expr->span);
}

/// Binders are named after the height of the reduction, so that equal reductions are equal trees
/// wherever they stand: max(j_1: s[i, j_1]) is one value however often softmax writes it.
void StatementInstantiator::canonical_names(Reduce& reduce) const {
  int height = 1;
  for (const ExprPtr& part : {reduce.body, reduce.filter}) {
    for_each_node(part, [&](const ExprPtr& node) {
      if (!get_if<Reduce>(node)) return;
      for (const Binder& binder : std::get<Reduce>(node->node).binders) {
        height = std::max(height, 1 + std::stoi(binder.name.substr(binder.name.rfind('_') + 1)));
      }
    });
  }
  Substitution with;
  std::set<std::string> taken;
  for (Binder& binder : reduce.binders) {
    std::string wish = stem(binder.name), name = wish + "_" + std::to_string(height);
    while (targets_.count(name) || !taken.insert(name).second) {
      wish += "i";
      name = wish + "_" + std::to_string(height);
    }
    with.names[binder.name] = make_expr(Name{name}, Type::kInt, binder.span);
    binder.name = name;
  }
  reduce.body = substitute(reduce.body, with);
  if (reduce.filter) reduce.filter = substitute(reduce.filter, with);
  for (Binder& binder : reduce.binders) {
    binder.lo = substitute(binder.lo, with);
    binder.hi = substitute(binder.hi, with);
  }
}

}  // namespace tileops::spec
