// The fields of an entry outside its signature and workloads.
#include <algorithm>
#include <array>

#include "spec/entry_reader.h"
#include "spec/nearest_name.h"

namespace tileops::spec {
namespace {

Accumulate read_accumulate(const YamlNode& node, const FieldScope& scope) {
  Accumulate out;
  if (node.kind == YamlNode::Kind::kScalar) {
    out.type = read_dtype(node, scope);
    return out;
  }
  Fields fields(node, scope);
  fields.read("type", out.type, read_dtype);
  fields.read("promote_every", out.promote_every, read_int);
  fields.finish();
  return out;
}

std::map<std::string, DTypeRule> read_may_round(const YamlNode& node, const FieldScope& scope) {
  std::map<std::string, DTypeRule> out;
  if (node.kind != YamlNode::Kind::kMap) {
    scope.problem(node, "wrong kind of value", "a map from local to dtype",
                  std::string(kind_name(node.kind)));
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    out[node.keys[i].text] = read_dtype_rule(node.items[i], scope.in(node.keys[i].text));
  }
  return out;
}

std::map<std::string, AxisKind> read_axes(const YamlNode& node, const FieldScope& scope) {
  std::map<std::string, AxisKind> out;
  if (node.kind != YamlNode::Kind::kMap) {
    scope.problem(node, "wrong kind of value", "a map from axis to dynamic or static",
                  std::string(kind_name(node.kind)));
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const YamlNode& value = node.items[i];
    if (value.text != "dynamic" && value.text != "static") {
      scope.in(node.keys[i].text)
          .problem(value, "unknown kind of axis `" + value.text + "`", "dynamic or static");
    }
    out[node.keys[i].text == "..." ? "" : node.keys[i].text] =
        value.text == "dynamic" ? AxisKind::kDynamic : AxisKind::kStatic;
  }
  return out;
}

Roofline read_roofline(const YamlNode& node, const FieldScope& scope) {
  Roofline out;
  Fields fields(node, scope);
  fields.read("flops", out.flops, read_expr);
  fields.read("bytes", out.bytes, read_expr);
  fields.read("why", out.why, read_text);
  fields.finish();
  return out;
}

std::map<std::string, std::vector<std::string>> read_source(const YamlNode& node,
                                                            const FieldScope& scope) {
  std::map<std::string, std::vector<std::string>> out;
  Fields fields(node, scope);
  if (const YamlNode* map = fields.optional("kernel_map")) {
    FieldScope inner = scope.in("kernel_map");
    if (map->kind != YamlNode::Kind::kMap) {
      inner.problem(*map, "wrong kind of value", "a map from backend to kernels",
                    std::string(kind_name(map->kind)));
    }
    static const std::vector<std::string> kBackends = {"cpu", "cuda", "musa"};
    for (std::size_t i = 0; i < map->keys.size(); ++i) {
      const std::string& backend = map->keys[i].text;
      if (std::find(kBackends.begin(), kBackends.end(), backend) == kBackends.end()) {
        inner.problem(map->keys[i], "unknown backend `" + backend + "`", name_list(kBackends), {},
                      did_you_mean(backend, kBackends));
      }
      out[backend] = read_names(map->items[i], inner.in(backend));
    }
  }
  fields.finish();
  return out;
}

std::vector<std::string> read_promises(const YamlNode& node, const FieldScope& scope) {
  static const std::vector<std::string> kPromises = {"torch_compile_fullgraph", "deterministic",
                                                     "batch_invariant"};
  std::vector<std::string> out = read_names(node, scope);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::find(kPromises.begin(), kPromises.end(), out[i]) == kPromises.end()) {
      scope.problem(node.items[i], "unknown promise `" + out[i] + "`", name_list(kPromises), {},
                    did_you_mean(out[i], kPromises));
    }
  }
  return out;
}

}  // namespace

std::vector<Statement> read_statements(const YamlNode& node, const FieldScope& scope) {
  std::string text = read_text(node, scope);
  TextPlace place = place_of(node, scope.file);
  place.op = scope.op;
  place.field = scope.path;
  return parse_definition(text, place, *scope.diagnostics);
}

OpSpec read_entry(const YamlNode& key, const YamlNode& entry, const FieldScope& scope) {
  OpSpec op;
  op.name = key.text;
  op.span = scope.span(key);
  Fields fields(entry, scope);
  auto text = [&](const char* name, std::string& value) {
    if (const YamlNode* node = fields.required(name)) value = read_text(*node, scope.in(name));
  };
  text("summary", op.summary);
  text("family", op.family);
  text("since", op.since);
  text("ref_api", op.ref_api);
  fields.read("doc", op.doc, read_text);
  if (const YamlNode* signature = fields.required("signature")) {
    read_signature(*signature, scope.in("signature"), op);
  }
  if (const YamlNode* definition = fields.required("definition")) {
    op.definition = read_statements(*definition, scope.in("definition"));
  }
  fields.read("accumulate", op.accumulate, read_accumulate);
  fields.read("may_round", op.may_round, read_may_round);
  fields.read("may_approximate", op.may_approximate, read_names);
  fields.read("accept", op.accept, read_accept);
  fields.read("laws", op.laws, read_laws);
  fields.read("axes", op.axes, read_axes);
  if (const YamlNode* workloads = fields.required("workloads")) {
    op.workloads = read_workloads(*workloads, scope.in("workloads"), op);
  }
  fields.read("roofline", op.roofline, read_roofline);
  fields.read("backward", op.backward, read_text);
  fields.read("promises", op.promises, read_promises);
  fields.read("source", op.kernel_map, read_source);
  fields.finish();
  return op;
}

}  // namespace tileops::spec
