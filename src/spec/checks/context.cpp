// Symbols of an entry: tensors, parameters, lets, axes, locals, helpers.
#include "spec/checks/context.h"

#include "spec/instance_tensors.h"
#include "spec/rewrite.h"

namespace tileops::spec {
namespace {

/// Of an element: the same for all dtypes, or unknown.
Type type_of_rule(const DTypeRule& rule, const std::map<std::string, Symbol>& symbols) {
  if (!rule.same_as.empty()) {
    auto at = symbols.find(rule.same_as);
    return at == symbols.end() ? Type::kUnknown : at->second.type;
  }
  Type type = Type::kUnknown;
  for (std::size_t i = 0; i < rule.any_of.size(); ++i) {
    Type one = type_of(rule.any_of[i]);
    if (i > 0 && one != type) return Type::kUnknown;
    type = one;
  }
  return type;
}

Type type_of_param(const ParamSpec& param) {
  if (param.types.size() != 1) return Type::kUnknown;
  switch (param.types[0]) {
    case ParamType::kBool:
      return Type::kBool;
    case ParamType::kInt:
      return Type::kInt;
    case ParamType::kFloat:
      return Type::kFloat;
    case ParamType::kDType:
      return Type::kDType;
    case ParamType::kText:
      return Type::kText;
    default:
      return Type::kInts;
  }
}

/// Dimensions of a shape, if all its alternatives have as many.
int places_of(const ExprPtr& shape) {
  if (const auto* select = get_if<Select>(shape)) {
    int a = places_of(select->then), b = places_of(select->otherwise);
    return a == b ? a : -1;
  }
  const auto* literal = get_if<ShapeLit>(shape);
  return literal ? static_cast<int>(literal->dims.size()) : -1;
}

}  // namespace

CheckContext::CheckContext(const OpSpec& entry, const Prelude& functions, Diagnostics& found)
    : op(entry), prelude(functions), diagnostics_(found) {
  for (const ParamSpec& param : op.params) {
    declare(param.name, {SymbolKind::kParam, type_of_param(param), 1, param.span},
            "signature.params");
  }
  auto tensors = [&](const std::vector<TensorSpec>& list, SymbolKind kind, const char* field) {
    for (const TensorSpec& tensor : list) {
      declare(tensor.name,
              {kind, type_of_rule(tensor.dtype, symbols), places_of(tensor.shape), tensor.span},
              field);
    }
  };
  tensors(op.inputs, SymbolKind::kInput, "signature.inputs");
  tensors(op.outputs, SymbolKind::kOutput, "signature.outputs");
  auto let = [&](const Let& x, const char* field) {
    declare(x.name, {SymbolKind::kLet, Type::kUnknown, 0, x.span}, field);
  };
  for (const Let& x : op.lets) let(x, "signature.lets");
  for (const Statement& statement : op.definition) {
    if (const auto* x = std::get_if<Let>(&statement)) let(*x, "definition");
    if (const auto* x = std::get_if<Helper>(&statement)) {
      declare(x->name, {SymbolKind::kHelper, Type::kUnknown, -1, x->span}, "definition");
      helpers[x->name] = x;
    }
    const auto* define = std::get_if<Define>(&statement);
    const auto* scatter = std::get_if<Scatter>(&statement);
    if (!define && !scatter) continue;
    const Access& target = define ? define->target : scatter->target;
    if (symbols.count(target.tensor)) continue;  // an output, or defined piece by piece
    declare(target.tensor,
            {SymbolKind::kLocal, Type::kUnknown, static_cast<int>(target.subscripts.size()),
             define ? define->span : scatter->span},
            "definition");
  }
  for (const TensorSpec& tensor : op.inputs) declare_axes(tensor.shape);
  for (const TensorSpec& tensor : op.outputs) declare_axes(tensor.shape);
  for (const Split& split : op.splits) {
    groups.insert(split.group);
    groups.insert(split.kept);
    groups.insert(split.chosen);
    if (!split.unit.empty()) groups.insert(split.unit);
  }
}

void CheckContext::declare(const std::string& name, Symbol symbol, const std::string& field) {
  auto [at, fresh] = symbols.emplace(name, symbol);
  if (fresh) return;
  problem(symbol.span, field, "`" + name + "` is declared twice", "each name once",
          "first declared in line " + std::to_string(at->second.span.line), "rename one of them");
}

void CheckContext::declare_axes(const ExprPtr& shape) {
  if (const auto* select = get_if<Select>(shape)) {
    declare_axes(select->then);
    declare_axes(select->otherwise);
    return;
  }
  const auto* literal = get_if<ShapeLit>(shape);
  if (!literal) return;
  for (const Subscript& dim : literal->dims) {
    if (dim.kind != Subscript::Kind::kExpr) {
      groups.insert(dim.group);
      continue;
    }
    for_each_node(dim.expr, [&](const ExprPtr& node) {
      const auto* name = get_if<Name>(node);
      if (name && !symbols.count(name->name)) {
        symbols[name->name] = {SymbolKind::kAxis, Type::kInt, 0, node->span};
      }
    });
  }
}

const Symbol* CheckContext::find(const std::string& name) const {
  auto at = symbols.find(name);
  return at == symbols.end() ? nullptr : &at->second;
}

const Helper* CheckContext::helper(const std::string& name) const {
  auto own = helpers.find(name);
  return own != helpers.end() ? own->second : prelude.find(name);
}

std::vector<std::string> CheckContext::names() const {
  std::vector<std::string> out;
  for (const auto& [name, symbol] : symbols) out.push_back(name);
  return out;
}

bool CheckContext::is_optional(const std::string& name) const {
  for (const TensorSpec& tensor : op.inputs) {
    if (tensor.name == name) return tensor.optional;
  }
  for (const TensorSpec& tensor : op.outputs) {
    if (tensor.name == name) return tensor.optional;
  }
  for (const ParamSpec& param : op.params) {
    if (param.name == name) return param.optional;
  }
  return false;
}

void CheckContext::problem(const SourceSpan& span,
                           std::string field,
                           std::string problem,
                           std::string expected,
                           std::string actual,
                           std::string mend) const {
  diagnostics_.add({span.file ? span : op.span, op.name, std::move(field), std::move(problem),
                    std::move(expected), std::move(actual), std::move(mend)});
}

}  // namespace tileops::spec
