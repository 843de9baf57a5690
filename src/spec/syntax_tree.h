// The parse tree of one expression or statement: which rule matched which text. It hides PEGTL.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tileops::spec {

enum class Rule {
  kFloat,
  kInt,
  kText,
  kNone,
  kTrue,
  kFalse,
  kInf,
  kNan,
  kName,
  kGroup,
  kEllipsis,
  kShape,
  kAccess,
  kSubscripts,
  kPrime,
  kIdentifier,
  kReduce,
  kNth,
  kBinder,
  kRange,
  kFilter,
  kTies,
  kNanRule,
  kReduceElse,
  kOrder,
  kCall,
  kRoundTo,
  kSaturate,
  kGiven,
  kPower,
  kNegation,
  kMultiplicative,
  kAdditive,
  kComparison,
  kInversion,
  kConjunction,
  kDisjunction,
  kCoalesce,
  kTernary,
  kSign,
  kLet,
  kHelper,
  kParameters,
  kCompositionParameters,
  kWhere,
  kDefine,
  kScatter,
  kSplit,
  kTarget,
  kOtherwise,
  kDomain,
  kCondition,
  kStart,
  kFallback,
};

/// Levels of precedence with one operand are replaced by the operand.
struct SyntaxNode {
  Rule rule = Rule::kNone;
  std::string_view text;  ///< without blanks at the end
  std::vector<SyntaxNode> children;
};

struct SyntaxError {
  std::size_t offset = 0;
  std::string expected;  ///< "`)` or `,`"; may be empty
  bool too_deep = false;
};

enum class Root { kExpression, kStatement };
/// `text` must outlive the result.
std::variant<SyntaxNode, SyntaxError> parse_syntax(std::string_view text, Root root);

}  // namespace tileops::spec
