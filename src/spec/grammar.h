// The grammar of expressions and definitions, and nothing else: rules over text, no meaning.
// docs/manifest.md shows the same rules for readers; parser.cpp turns their tree into ast.h nodes.
#pragma once

#include <tao/pegtl.hpp>

namespace tileops::spec::grammar {

// NOLINTBEGIN(readability-identifier-naming, google-build-using-namespace): PEGTL's own words.
using namespace tao::pegtl;

// Words and blanks. A definition reaches the grammar one statement at a time, so a newline is
// blank.
struct comment : seq<one<'#'>, star<not_one<'\n'>>> {};
struct blanks : star<sor<one<' ', '\t', '\r', '\n'>, comment>> {};
template <class Rule>
struct token : seq<Rule, blanks> {};

struct word : seq<sor<alpha, one<'_'>>, star<sor<alnum, one<'_'>>>> {};
template <char... C>
struct keyword : seq<string<C...>, not_at<sor<alnum, one<'_'>>>, blanks> {};

struct kw_and : keyword<'a', 'n', 'd'> {};
struct kw_or : keyword<'o', 'r'> {};
struct kw_not : keyword<'n', 'o', 't'> {};
struct kw_is : keyword<'i', 's'> {};
struct kw_given : keyword<'g', 'i', 'v', 'e', 'n'> {};
struct kw_in : keyword<'i', 'n'> {};
struct kw_else : keyword<'e', 'l', 's', 'e'> {};
struct kw_for : keyword<'f', 'o', 'r'> {};
struct kw_when : keyword<'w', 'h', 'e', 'n'> {};
struct kw_from : keyword<'f', 'r', 'o', 'm'> {};
struct kw_where : keyword<'w', 'h', 'e', 'r', 'e'> {};
struct kw_default : keyword<'d', 'e', 'f', 'a', 'u', 'l', 't'> {};
struct kw_split : keyword<'s', 'p', 'l', 'i', 't'> {};
struct kw_by : keyword<'b', 'y'> {};
struct kw_none : keyword<'n', 'o', 'n', 'e'> {};
struct kw_true : keyword<'t', 'r', 'u', 'e'> {};
struct kw_false : keyword<'f', 'a', 'l', 's', 'e'> {};
struct kw_inf : keyword<'i', 'n', 'f'> {};
struct kw_nan : keyword<'n', 'a', 'n'> {};
struct kw_ties : keyword<'t', 'i', 'e', 's'> {};
struct kw_round_to : keyword<'r', 'o', 'u', 'n', 'd', '_', 't', 'o'> {};
struct kw_saturate : keyword<'s', 'a', 't', 'u', 'r', 'a', 't', 'e'> {};
struct kw_nth : keyword<'n', 't', 'h'> {};
struct kw_ascending : keyword<'a', 's', 'c', 'e', 'n', 'd', 'i', 'n', 'g'> {};
struct kw_descending : keyword<'d', 'e', 's', 'c', 'e', 'n', 'd', 'i', 'n', 'g'> {};
/// Words that no index, axis, tensor or helper may be called.
struct reserved : sor<kw_and,
                      kw_or,
                      kw_not,
                      kw_is,
                      kw_in,
                      kw_else,
                      kw_for,
                      kw_when,
                      kw_from,
                      kw_where,
                      kw_default,
                      kw_split,
                      kw_by,
                      kw_none,
                      kw_true,
                      kw_false,
                      kw_inf,
                      kw_nan> {};
struct identifier : seq<not_at<reserved>, word> {};

template <char C>
struct mark : seq<one<C>, blanks> {};
struct comma : mark<','> {};
struct colon : seq<one<':'>, not_at<one<'='>>, blanks> {};
struct bar : mark<'|'> {};
struct open_paren : mark<'('> {};
struct close_paren : mark<')'> {};
struct open_bracket : mark<'['> {};
struct close_bracket : mark<']'> {};
struct question : seq<one<'?'>, not_at<one<'?'>>, blanks> {};
struct if_none : seq<string<'?', '?'>, blanks> {};
struct dots : string<'.', '.', '.'> {};
struct range_dots : seq<string<'.', '.'>, not_at<one<'.'>>, blanks> {};

// Operators of one precedence level.
struct compare_op : sor<string<'=', '='>,
                        string<'!', '='>,
                        string<'<', '='>,
                        string<'>', '='>,
                        one<'<'>,
                        one<'>'>> {};
struct add_op : one<'+', '-'> {};
struct multiply_op : one<'*', '/', '%'> {};

// Literals.
struct exponent : seq<one<'e', 'E'>, opt<one<'+', '-'>>, plus<digit>> {};
struct float_literal : seq<plus<digit>, sor<seq<one<'.'>, plus<digit>, opt<exponent>>, exponent>> {
};
struct int_literal : seq<plus<digit>, not_at<sor<alpha, one<'_'>>>> {};
struct text_literal : seq<one<'"'>, star<not_one<'"', '\n'>>, one<'"'>> {};

// Expressions, loosest first.
struct expression;
struct unary;
struct name : token<identifier> {};
struct group : seq<identifier, dots, blanks> {};
struct ellipsis : token<dots> {};

struct subscript : sor<group, ellipsis, expression> {};
struct subscripts : seq<open_bracket, opt<list<subscript, comma>>, close_bracket> {};
struct prime : one<'\''> {};
struct access : seq<identifier, opt<prime>, blanks, subscripts> {};
struct shape : subscripts {};

struct index : token<identifier> {};
struct additive;
struct range : seq<kw_in, additive, range_dots, additive> {};
struct binder : sor<group, seq<index, opt<range>>> {};
struct filter : seq<bar, expression> {};
struct binders : seq<list<binder, comma>, opt<filter>, colon> {};
struct choice_word : token<identifier> {};
struct ties : seq<kw_ties, choice_word> {};
struct nan_rule : seq<kw_nan, choice_word> {};
struct modifiers : star<comma, sor<ties, nan_rule>> {};
struct reduce_else : seq<kw_else, unary> {};
struct reduce : seq<identifier,
                    blanks,
                    open_paren,
                    binders,
                    expression,
                    modifiers,
                    close_paren,
                    opt<reduce_else>> {};
struct order : sor<kw_ascending, kw_descending> {};
struct nth : seq<kw_nth,
                 open_paren,
                 expression,
                 comma,
                 binders,
                 kw_by,
                 order,
                 expression,
                 modifiers,
                 close_paren,
                 opt<reduce_else>> {};

struct arguments : seq<open_paren, opt<list<expression, comma>>, close_paren> {};
struct call : seq<identifier, blanks, arguments> {};
struct saturate : seq<comma, kw_saturate> {};
struct round_to
    : seq<kw_round_to, open_paren, expression, comma, expression, opt<saturate>, close_paren> {};
struct given : seq<identifier, blanks, kw_is, kw_given> {};
struct parenthesized : seq<open_paren, expression, close_paren> {};

struct primary : sor<token<float_literal>,
                     token<int_literal>,
                     token<text_literal>,
                     kw_none,
                     kw_true,
                     kw_false,
                     kw_inf,
                     kw_nan,
                     parenthesized,
                     shape,
                     nth,
                     round_to,
                     reduce,
                     call,
                     access,
                     group,
                     given,
                     name> {};
struct power_tail : seq<mark<'^'>, unary> {};
struct power : seq<primary, opt<power_tail>> {};
struct negation : seq<mark<'-'>, unary> {};
struct unary : sor<negation, power> {};
struct multiplicative : list<unary, token<multiply_op>> {};
struct additive : list<multiplicative, token<add_op>> {};
struct comparison : list<additive, token<compare_op>> {};
struct inversion : seq<kw_not, sor<inversion, comparison>> {};
struct conjunction : list<sor<inversion, comparison>, kw_and> {};
struct disjunction : list<conjunction, kw_or> {};
struct coalesce : list<disjunction, if_none> {};
struct expression : seq<coalesce, opt<question, expression, colon, expression>> {};

// Statements.
struct parameter : token<identifier> {};
struct parameters : seq<open_paren, list<parameter, comma>, close_paren> {};
struct composition_parameters
    : seq<open_paren, parameter, bar, parameter, colon, parameter, close_paren> {};
struct defined_as : seq<string<':', '='>, blanks> {};
struct let : seq<token<identifier>, defined_as, expression> {};
struct helper
    : seq<token<identifier>, sor<composition_parameters, parameters>, defined_as, expression> {};
struct where : seq<kw_where, sor<helper, let>> {};

struct equals : seq<one<'='>, not_at<one<'='>>, blanks> {};
struct target : sor<access, seq<identifier, opt<prime>, blanks>> {};
struct otherwise : seq<kw_else, expression> {};
struct domain : seq<kw_for, expression> {};
struct condition : seq<kw_when, expression> {};
struct start : seq<kw_from, access, equals, expression> {};
struct define
    : seq<target, equals, expression, opt<otherwise>, opt<domain>, opt<condition>, opt<start>> {};
struct arrow : seq<string<'<', '-'>, blanks> {};
struct fallback : seq<kw_default, expression> {};
struct scatter : seq<target, arrow, expression, opt<fallback>, opt<domain>, opt<condition>> {};
struct becomes : seq<string<'-', '>'>, blanks> {};
struct split : seq<kw_split, group, kw_by, expression, becomes, group, comma, group, opt<comma, group>> {};
struct statement : seq<sor<split, helper, let, define, scatter>, star<where>> {};

struct whole_expression : seq<blanks, expression, eof> {};
struct whole_statement : seq<blanks, statement, eof> {};

// NOLINTEND(readability-identifier-naming, google-build-using-namespace)

}  // namespace tileops::spec::grammar
