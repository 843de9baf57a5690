// A tree walk over the graph. Integers are int64, floats float32, sums accumulate in float64.
#include "backend/cpu/plain_interpreter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "backend/cpu/scalar_function.h"
#include "spec/evaluate_op.h"
#include "spec/names.h"
#include "tileops/error.h"
#include "tileops/tensor.h"

namespace tileops::cpu {
namespace {

using lower::Kind;
using lower::OutputProgram;
using lower::ScalarProgram;
using lower::Value;
using spec::ReduceOp;
using spec::Type;

/// An integer (bools too) or a float.
union Scalar {
  std::int64_t i;
  float f;
};

Scalar of_int(std::int64_t value) {
  Scalar s;
  s.i = value;
  return s;
}
Scalar of_float(float value) {
  Scalar s;
  s.i = 0;
  s.f = value;
  return s;
}

class Walker {
 public:
  Walker(const ScalarProgram& program, const void* const* inputs)
      : program_(program),
        inputs_(inputs),
        memo_(program.values.size()),
        steps_(program.values.size()) {
    for (std::size_t i = 0; i < program.values.size(); ++i) {
      const Value& v = program.values[i];
      for (std::size_t var = 0; var < v.steps.size(); ++var) {
        if (v.steps[var] != 0) steps_[i].emplace_back(var, v.steps[var]);
      }
    }
  }

  std::array<std::int64_t, lower::kMaxVars>& vars() { return vars_; }

  Scalar value(int index) {
    const Value& v = program_.at(index);
    switch (v.kind) {
      case Kind::kConst:
        return v.type == Type::kFloat ? of_float(static_cast<float>(v.constant))
               : v.type == Type::kInt ? of_int(v.integer)
                                      : of_int(v.constant != 0);
      case Kind::kVar:
        return of_int(vars_[static_cast<std::size_t>(v.var)]);
      case Kind::kLoad:
        return load(index, v);
      case Kind::kApply:
        return apply(v);
      case Kind::kSelect:
        return converted(value(v.args[0]).i != 0 ? v.args[1] : v.args[2], v.type);
      case Kind::kCall:
        return value(v.expansion);
      case Kind::kRound:
        return of_float(round(v, number(v.args[0])));
      case Kind::kReduce:
        return reduce(index, v);
    }
    return of_int(0);
  }

  float number(int index) {
    Scalar s = value(index);
    return program_.at(index).type == Type::kFloat ? s.f : static_cast<float>(s.i);
  }

 private:
  /// A reduction's value while the variables that it depends on stay.
  struct Memo {
    bool known = false;
    std::vector<std::int64_t> vars;
    Scalar value{};
  };

  Scalar converted(int index, Type type) {
    if (type == Type::kFloat) return of_float(number(index));
    return value(index);
  }

  Scalar load(int index, const Value& v) {
    std::int64_t offset = v.base;
    for (const auto& [var, step] : steps_[static_cast<std::size_t>(index)]) {
      offset += step * vars_[var];
    }
    for (const auto& [place, step] : v.computed) offset += step * value(place).i;
    TensorView view;
    view.dtype = program_.input_dtypes[static_cast<std::size_t>(v.input)];
    view.data = const_cast<void*>(inputs_[v.input]);
    if (v.type == Type::kFloat) return of_float(static_cast<float>(load_element(view, offset)));
    if (view.dtype == DType::kInt64) {  // beyond what a float64 holds
      std::int64_t whole = 0;
      std::memcpy(&whole, static_cast<const std::int64_t*>(inputs_[v.input]) + offset,
                  sizeof whole);
      return of_int(whole);
    }
    return of_int(static_cast<std::int64_t>(load_element(view, offset)));
  }

  Scalar apply(const Value& v) {
    std::array<float, 3> f{};
    bool floats = v.type == Type::kFloat;
    for (int arg : v.args) floats = floats || program_.at(arg).type == Type::kFloat;
    if (v.op == spec::Op::kAnd || v.op == spec::Op::kOr) {
      bool first = value(v.args[0]).i != 0;
      if (first == (v.op == spec::Op::kOr)) return of_int(first);
      return of_int(value(v.args[1]).i != 0);
    }
    if (v.op == spec::Op::kNot) return of_int(value(v.args[0]).i == 0);
    if (floats) {
      for (std::size_t i = 0; i < v.args.size(); ++i) f[i] = number(v.args[i]);
      float result = scalar_apply(v.op, {f.data(), v.args.size()});
      return v.type == Type::kFloat ? of_float(result) : of_int(result != 0);
    }
    std::array<std::int64_t, 3> x{};
    for (std::size_t i = 0; i < v.args.size(); ++i) x[i] = value(v.args[i]).i;
    return of_int(on_ints(v.op, x.data()));
  }

  /// Wraps as two's complement: the output's type cuts the bits.
  static std::int64_t on_ints(spec::Op op, const std::int64_t* x) {
    using spec::Op;
    auto a = static_cast<std::uint64_t>(x[0]), b = static_cast<std::uint64_t>(x[1]);
    switch (op) {
      case Op::kAdd:
        return static_cast<std::int64_t>(a + b);
      case Op::kSub:
        return static_cast<std::int64_t>(a - b);
      case Op::kMul:
        return static_cast<std::int64_t>(a * b);
      case Op::kSquare:
        return static_cast<std::int64_t>(a * a);
      case Op::kNeg:
        return static_cast<std::int64_t>(0 - a);
      case Op::kDiv:
        return x[1] == 0    ? 0
               : x[1] == -1 ? static_cast<std::int64_t>(0 - a)
                            : spec::floor_div(x[0], x[1]);
      case Op::kMod:
        return x[1] == 0 || x[1] == -1 ? 0 : spec::floor_mod(x[0], x[1]);
      case Op::kMin:
        return std::min(x[0], x[1]);
      case Op::kMax:
        return std::max(x[0], x[1]);
      case Op::kClamp:
        return std::min(std::max(x[0], x[1]), x[2]);
      case Op::kAbs:
        return x[0] < 0 ? static_cast<std::int64_t>(0 - a) : x[0];
      case Op::kSign:
        return (x[0] > 0) - (x[0] < 0);
      case Op::kBitAnd:
        return x[0] & x[1];
      case Op::kBitOr:
        return x[0] | x[1];
      case Op::kBitXor:
        return x[0] ^ x[1];
      case Op::kBitNot:
        return ~x[0];
      case Op::kShiftLeft:
        return static_cast<std::int64_t>(a << (b & 63));
      case Op::kShiftRight:
        return x[0] >> (b & 63);
      case Op::kEq:
        return x[0] == x[1];
      case Op::kNe:
        return x[0] != x[1];
      case Op::kLt:
        return x[0] < x[1];
      case Op::kLe:
        return x[0] <= x[1];
      case Op::kGt:
        return x[0] > x[1];
      case Op::kGe:
        return x[0] >= x[1];
      case Op::kIsFinite:
        return 1;
      case Op::kIsNan:
      case Op::kIsInf:
        return 0;
      case Op::kCeilDiv:
        return x[1] == 0 ? 0 : spec::floor_div(x[0], x[1]) + (spec::floor_mod(x[0], x[1]) != 0);
      default:  // floor, ceil, round, trunc
        return x[0];
    }
  }

  static float round(const Value& v, float x) {
    alignas(8) unsigned char bytes[8] = {};
    TensorView one;
    one.data = bytes;
    one.rank = 0;
    one.dtype = v.dtype;
    double limit = v.dtype == DType::kFloat8E4M3   ? 448
                   : v.dtype == DType::kFloat8E5M2 ? 57344
                   : v.dtype == DType::kFloat16    ? 65504
                                                   : 0;
    auto wide = static_cast<double>(x);
    if (v.saturate && limit > 0 && !std::isnan(x)) wide = std::clamp(wide, -limit, limit);
    store_element(one, 0, wide);
    return static_cast<float>(load_element(one, 0));
  }

  Scalar reduce(int index, const Value& v) {
    Memo& memo = memo_[static_cast<std::size_t>(index)];
    std::vector<std::int64_t> key;
    for (lower::Vars left = v.vars; left != 0; left &= left - 1) {
      key.push_back(vars_[static_cast<std::size_t>(__builtin_ctzll(left))]);
    }
    if (memo.known && memo.vars == key) return memo.value;
    Total total(v);
    loop(v, 0, total);
    Scalar result =
        total.count == 0 && v.otherwise >= 0 ? converted(v.otherwise, v.type) : total.result();
    memo.known = true;
    memo.vars = std::move(key);
    memo.value = result;
    return result;
  }

  struct Total {
    explicit Total(const Value& value) : v(value) {
      if (v.reduce == ReduceOp::kProd) whole = 1, real = 1;
      if (v.reduce == ReduceOp::kAll) whole = 1;
    }

    void add(Scalar term, bool is_float, std::int64_t at) {
      double x = is_float ? static_cast<double>(term.f) : 0;
      bool first = count++ == 0;
      switch (v.reduce) {
        case ReduceOp::kSum:
        case ReduceOp::kMean:
          real += is_float ? x : static_cast<double>(term.i);
          whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) +
                                            static_cast<std::uint64_t>(is_float ? 0 : term.i));
          return;
        case ReduceOp::kProd:
          real *= x;
          whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) *
                                            static_cast<std::uint64_t>(is_float ? 0 : term.i));
          return;
        case ReduceOp::kAny:
          whole |= term.i != 0;
          return;
        case ReduceOp::kAll:
          whole &= term.i != 0;
          return;
        case ReduceOp::kCount:
          whole += term.i != 0;
          return;
        case ReduceOp::kFirst:
          if (term.i == 0) {
            --count;
          } else if (first) {
            whole = at;
          }
          return;
        default:
          extreme(term, x, is_float, first, at);
      }
    }

    void extreme(Scalar term, double x, bool is_float, bool first, std::int64_t at) {
      bool largest = v.reduce == ReduceOp::kMax || v.reduce == ReduceOp::kArgmax;
      bool index = v.reduce == ReduceOp::kArgmax || v.reduce == ReduceOp::kArgmin;
      bool nan_last = index && v.nan == spec::NanRule::kLast;
      bool better = false;
      if (is_float) {
        bool was_nan = !first && std::isnan(real), now_nan = std::isnan(x);
        if (nan_last) {
          better = first || (was_nan && !now_nan) || (!now_nan && (largest ? x > real : x < real));
        } else {
          better = first || (!was_nan && (now_nan || (largest ? x > real : x < real)));
        }
        bool tie = !first && x == real && v.ties == spec::Ties::kLast;
        if (better || tie) real = x, place = at;
      } else {
        better = first || (largest ? term.i > whole : term.i < whole) ||
                 (term.i == whole && v.ties == spec::Ties::kLast);
        if (better) whole = term.i, place = at;
      }
    }

    Scalar result() const {
      switch (v.reduce) {
        case ReduceOp::kMean:
          return of_float(static_cast<float>(real / static_cast<double>(count)));
        case ReduceOp::kArgmax:
        case ReduceOp::kArgmin:
          return of_int(place);
        case ReduceOp::kMax:
        case ReduceOp::kMin:
          if (v.type == Type::kFloat && count == 0) {
            float infinity = std::numeric_limits<float>::infinity();
            return of_float(v.reduce == ReduceOp::kMax ? -infinity : infinity);
          }
          break;
        default:
          break;
      }
      return v.type == Type::kFloat ? of_float(static_cast<float>(real)) : of_int(whole);
    }

    const Value& v;
    double real = 0;
    std::int64_t whole = 0, place = 0, count = 0;
  };

  void loop(const Value& v, std::size_t axis, Total& total) {
    if (axis == v.over.size()) {
      if (v.filter >= 0 && value(v.filter).i == 0) return;
      bool is_float = program_.at(v.body).type == Type::kFloat;
      Scalar term = value(v.body);
      total.add(term, is_float, vars_[static_cast<std::size_t>(v.over.back())]);
      return;
    }
    auto var = static_cast<std::size_t>(v.over[axis]);
    std::int64_t lo = value(v.bounds[axis].first).i, hi = value(v.bounds[axis].second).i;
    for (std::int64_t at = lo; at < hi; ++at) {
      vars_[var] = at;
      loop(v, axis + 1, total);
    }
  }

  const ScalarProgram& program_;
  const void* const* inputs_;
  std::array<std::int64_t, lower::kMaxVars> vars_{};
  std::vector<Memo> memo_;
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> steps_;  ///< of loads, not 0
};

void store(DType dtype, Type type, Scalar value, void* to, std::int64_t offset) {
  TensorView view;
  view.data = to;
  view.dtype = dtype;
  if (type == Type::kFloat) {
    store_element(view, offset, static_cast<double>(value.f));
    return;
  }
  if (is_integer(dtype)) {  // two's complement, cut to the type's width
    std::size_t bytes = size_bytes(dtype);
    std::memcpy(static_cast<std::byte*>(to) + offset * static_cast<std::int64_t>(bytes), &value.i,
                bytes);
    return;
  }
  store_element(view, offset, static_cast<double>(value.i));
}

}  // namespace

void check_plain(const ScalarProgram& program) {
  auto refuse = [](const std::string& what) {
    throw Error(ErrorKind::kNotImplemented,
                {{}, "definition", "a form that the interpreter runs", what, {}});
  };
  for (const Value& v : program.values) {
    if (v.type == Type::kComplex) refuse("complex numbers");
    bool float_only = v.kind == Kind::kApply && v.type == Type::kFloat;
    if (float_only && !has_scalar_form(v.op)) refuse(std::string(spec::op_name(v.op)));
  }
  for (DType dtype : program.input_dtypes) {
    if (is_complex(dtype) || dtype == DType::kFloat64) refuse(std::string(dtype_name(dtype)));
  }
}

void run_plain(const ScalarProgram& program,
               const OutputProgram& output,
               const void* const* inputs,
               void* to,
               std::int64_t begin,
               std::int64_t end) {
  Walker walker(program, inputs);
  Type type = program.at(output.value).type;
  for (std::int64_t element = begin; element < end; ++element) {
    std::int64_t rest = element, offset = 0;
    for (std::size_t axis = output.axes.size(); axis-- > 0;) {
      auto var = static_cast<std::size_t>(output.axes[axis]);
      std::int64_t index = rest % program.vars[var].size;
      rest /= program.vars[var].size;
      walker.vars()[var] = index;
      offset += index * output.steps[axis];
    }
    store(output.dtype, type, walker.value(output.value), to, offset);
  }
}

}  // namespace tileops::cpu
