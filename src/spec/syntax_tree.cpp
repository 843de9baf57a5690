// Runs the grammar over a text. The only file, with grammar.h, that sees PEGTL.
#include "spec/syntax_tree.h"

#include <algorithm>
#include <tao/pegtl/contrib/limit_depth.hpp>
#include <tao/pegtl/contrib/parse_tree.hpp>

#include "spec/grammar.h"

namespace tileops::spec {
namespace {

namespace g = grammar;
namespace tree = tao::pegtl::parse_tree;

/// A level with one operand is the operand.
struct FoldOne : tree::apply<FoldOne> {
  template <class TreeNode, class... States>
  static void transform(std::unique_ptr<TreeNode>& node, States&&...) {
    if (node->children.size() == 1) node = std::move(node->children.front());
  }
};

template <class R>
using Keep = tree::selector<R,
                            tree::store_content::on<g::float_literal,
                                                    g::int_literal,
                                                    g::text_literal,
                                                    g::kw_none,
                                                    g::kw_true,
                                                    g::kw_false,
                                                    g::kw_inf,
                                                    g::kw_nan,
                                                    g::name,
                                                    g::group,
                                                    g::ellipsis,
                                                    g::shape,
                                                    g::access,
                                                    g::subscripts,
                                                    g::prime,
                                                    g::identifier,
                                                    g::reduce,
                                                    g::nth,
                                                    g::binder,
                                                    g::range,
                                                    g::filter,
                                                    g::ties,
                                                    g::nan_rule,
                                                    g::reduce_else,
                                                    g::order,
                                                    g::call,
                                                    g::round_to,
                                                    g::saturate,
                                                    g::given,
                                                    g::negation,
                                                    g::inversion,
                                                    g::compare_op,
                                                    g::add_op,
                                                    g::multiply_op,
                                                    g::let,
                                                    g::helper,
                                                    g::parameters,
                                                    g::composition_parameters,
                                                    g::where,
                                                    g::define,
                                                    g::scatter,
                                                    g::split,
                                                    g::target,
                                                    g::otherwise,
                                                    g::domain,
                                                    g::condition,
                                                    g::start,
                                                    g::fallback>,
                            FoldOne::on<g::power,
                                        g::multiplicative,
                                        g::additive,
                                        g::comparison,
                                        g::conjunction,
                                        g::disjunction,
                                        g::coalesce,
                                        g::expression>>;

template <class... R>
struct RuleList {};
// In the order of enum Rule.
using Rules = RuleList<g::float_literal,
                       g::int_literal,
                       g::text_literal,
                       g::kw_none,
                       g::kw_true,
                       g::kw_false,
                       g::kw_inf,
                       g::kw_nan,
                       g::name,
                       g::group,
                       g::ellipsis,
                       g::shape,
                       g::access,
                       g::subscripts,
                       g::prime,
                       g::identifier,
                       g::reduce,
                       g::nth,
                       g::binder,
                       g::range,
                       g::filter,
                       g::ties,
                       g::nan_rule,
                       g::reduce_else,
                       g::order,
                       g::call,
                       g::round_to,
                       g::saturate,
                       g::given,
                       g::power,
                       g::negation,
                       g::multiplicative,
                       g::additive,
                       g::comparison,
                       g::inversion,
                       g::conjunction,
                       g::disjunction,
                       g::coalesce,
                       g::expression,
                       g::add_op,
                       g::let,
                       g::helper,
                       g::parameters,
                       g::composition_parameters,
                       g::where,
                       g::define,
                       g::scatter,
                       g::split,
                       g::target,
                       g::otherwise,
                       g::domain,
                       g::condition,
                       g::start,
                       g::fallback>;

template <class... R>
Rule rule_of(const tree::node& node, RuleList<R...>) {
  if (node.is_type<g::compare_op>() || node.is_type<g::multiply_op>()) return Rule::kSign;
  int index = 0, found = 0;
  ((node.is_type<R>() ? void(found = index) : void(), ++index), ...);
  return static_cast<Rule>(found);
}

SyntaxNode convert(const tree::node& node) {
  SyntaxNode out;
  out.rule = rule_of(node, Rules{});
  for (const auto& child : node.children) out.children.push_back(convert(*child));
  const char* begin = node.m_begin.data;
  const char* end = node.m_end.data;
  while (end != begin && std::string_view(" \t\r\n").find(end[-1]) != std::string_view::npos) --end;
  out.text = std::string_view(begin, static_cast<std::size_t>(end - begin));
  return out;
}

constexpr std::size_t kMaxDepth = 300;  // about 30 nested brackets use 8 rules each
template <class R>
struct Action : tao::pegtl::nothing<R> {};
template <>
struct Action<g::expression> : tao::pegtl::limit_depth<kMaxDepth> {};
template <>
struct Action<g::unary> : tao::pegtl::limit_depth<kMaxDepth> {};
template <>
struct Action<g::inversion> : tao::pegtl::limit_depth<kMaxDepth> {};

/// What the rules that failed furthest to the right were looking for.
struct Furthest {
  std::size_t offset = 0;
  std::vector<std::string_view> expected;
};

template <class R>
constexpr std::string_view kExpected{};
template <>
constexpr std::string_view kExpected<g::expression> = "an expression";
template <>
constexpr std::string_view kExpected<g::additive> = "an expression";
template <>
constexpr std::string_view kExpected<g::close_paren> = "`)`";
template <>
constexpr std::string_view kExpected<g::close_bracket> = "`]`";
template <>
constexpr std::string_view kExpected<g::colon> = "`:`";
template <>
constexpr std::string_view kExpected<g::comma> = "`,`";
template <>
constexpr std::string_view kExpected<g::range_dots> = "`..`";
template <>
constexpr std::string_view kExpected<g::equals> = "`=`";
template <>
constexpr std::string_view kExpected<g::defined_as> = "`:=`";
template <>
constexpr std::string_view kExpected<g::becomes> = "`->`";
template <>
constexpr std::string_view kExpected<g::kw_by> = "`by`";
template <>
constexpr std::string_view kExpected<g::parameter> = "a name";

template <class R>
struct Track : tao::pegtl::normal<R> {
  template <class Input, class... States>
  static void failure(const Input& in, Furthest& furthest, States&&...) {
    std::size_t at = in.byte();
    if (at < furthest.offset) return;
    if (at > furthest.offset) furthest = {at, {}};
    if constexpr (!kExpected<R>.empty()) {
      auto& list = furthest.expected;
      if (std::find(list.begin(), list.end(), kExpected<R>) == list.end()) {
        list.push_back(kExpected<R>);
      }
    }
  }
};

SyntaxError to_error(const Furthest& furthest) {
  SyntaxError error{furthest.offset, {}, false};
  for (std::size_t i = 0; i < furthest.expected.size(); ++i) {
    if (i > 0) error.expected += i + 1 == furthest.expected.size() ? " or " : ", ";
    error.expected += furthest.expected[i];
  }
  return error;
}

template <class R>
std::variant<SyntaxNode, SyntaxError> run(std::string_view text) {
  tao::pegtl::memory_input<> input(text.data(), text.data() + text.size(), "");
  Furthest furthest;
  try {
    auto root = tree::parse<R, tree::node, Keep, Action, Track>(input, furthest);
    if (!root || root->children.empty()) return to_error(furthest);
    if (root->children.size() == 1) return convert(*root->children.front());
    SyntaxNode statement = convert(*root->children.front());  // then its `where` helpers
    for (std::size_t i = 1; i < root->children.size(); ++i) {
      statement.children.push_back(convert(*root->children[i]));
    }
    return statement;
  } catch (const tao::pegtl::parse_error&) {
    return SyntaxError{furthest.offset, {}, true};
  }
}

}  // namespace

std::variant<SyntaxNode, SyntaxError> parse_syntax(std::string_view text, Root root) {
  return root == Root::kExpression ? run<g::whole_expression>(text) : run<g::whole_statement>(text);
}

}  // namespace tileops::spec
