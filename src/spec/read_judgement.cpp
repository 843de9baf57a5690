// What else decides whether a result is right: `accept` and `laws`.
#include <algorithm>
#include <array>

#include "spec/entry_reader.h"
#include "spec/nearest_name.h"

namespace tileops::spec {
namespace {

struct Form {
  std::string word, inside;
};

/// "set(r)" -> {"set", "r"}; "exact" -> {"exact", ""}.
Form split_form(const std::string& text) {
  std::size_t open = text.find('(');
  if (open == std::string::npos || text.back() != ')') return {text, {}};
  return {text.substr(0, open), text.substr(open + 1, text.size() - open - 2)};
}

Accept read_form(const YamlNode& node, const FieldScope& scope, const std::string& output) {
  static const std::vector<std::string> kForms = {
      "exact", "set(axis)", "ties(any)", "order_free(axis within key)", "unspecified(where)"};
  Accept out;
  out.output = output;
  out.span = scope.span(node);
  Form form = split_form(read_text(node, scope));
  if (form.word == "exact" && form.inside.empty()) {
    out.kind = AcceptKind::kExact;
  } else if (form.word == "set" && !form.inside.empty()) {
    out.kind = AcceptKind::kSet;
    out.axis = form.inside;
  } else if (form.word == "ties" && form.inside == "any") {
    out.kind = AcceptKind::kTies;
  } else if (form.word == "order_free" && form.inside.find(" within ") != std::string::npos) {
    out.kind = AcceptKind::kOrderFree;
    std::size_t at = form.inside.find(" within ");
    out.axis = form.inside.substr(0, at);
    out.key = form.inside.substr(at + 8);
  } else if (form.word == "unspecified" && !form.inside.empty()) {
    out.kind = AcceptKind::kUnspecified;
    YamlNode inner = node;
    inner.text = form.inside;
    inner.column += static_cast<std::int32_t>(form.word.size()) + 1;
    out.where = read_expr(inner, scope);
  } else {
    scope.problem(node, "unknown acceptance `" + node.text + "`", name_list(kForms));
  }
  return out;
}

const std::array<std::string_view, 6> kLawKinds = {"fold",  "invariant_to", "permute",
                                                   "merge", "equal_ops",    "gradient"};

}  // namespace

std::vector<Accept> read_accept(const YamlNode& node, const FieldScope& scope) {
  std::vector<Accept> out;
  if (node.kind != YamlNode::Kind::kMap) {
    scope.problem(node, "wrong kind of value", "a map from output to acceptance",
                  std::string(kind_name(node.kind)));
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const YamlNode& value = node.items[i];
    FieldScope inner = scope.in(node.keys[i].text);
    if (value.kind == YamlNode::Kind::kSequence) {
      for (const YamlNode& item : value.items) {
        out.push_back(read_form(item, inner, node.keys[i].text));
      }
    } else {
      out.push_back(read_form(value, inner, node.keys[i].text));
    }
  }
  return out;
}

std::vector<Law> read_laws(const YamlNode& node, const FieldScope& scope) {
  std::vector<Law> out;
  if (node.kind != YamlNode::Kind::kSequence) {
    scope.problem(node, "wrong kind of value", "a list of laws", std::string(kind_name(node.kind)));
  }
  for (const YamlNode& item : node.items) {
    if (item.keys.size() != 1 || item.items.size() != 1) {
      scope.problem(item, "a law is one word and its arguments", "{invariant_to: {...}}");
      continue;
    }
    auto kind = std::find(kLawKinds.begin(), kLawKinds.end(), item.keys[0].text);
    if (kind == kLawKinds.end()) {
      std::vector<std::string> known(kLawKinds.begin(), kLawKinds.end());
      scope.problem(item.keys[0], "unknown law `" + item.keys[0].text + "`", name_list(known), {},
                    did_you_mean(item.keys[0].text, known));
      continue;
    }
    Law law;
    law.kind = static_cast<LawKind>(kind - kLawKinds.begin());
    law.span = scope.span(item);
    const YamlNode& arguments = item.items[0];
    if (arguments.kind != YamlNode::Kind::kMap) {
      scope.problem(arguments, "wrong kind of value", "a map of the law's arguments",
                    std::string(kind_name(arguments.kind)));
    }
    for (std::size_t i = 0; i < arguments.keys.size(); ++i) {
      law.arguments.emplace_back(arguments.keys[i].text,
                                 read_text(arguments.items[i], scope.in(arguments.keys[i].text)));
    }
    out.push_back(std::move(law));
  }
  return out;
}

}  // namespace tileops::spec
