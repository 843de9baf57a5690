// The order of the checks is that of what they would explain: guards before closeness.
#include "certify/judge_call.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "certify/elements.h"
#include "certify/instance_of.h"
#include "certify/oracle/acceptance.h"
#include "certify/oracle/oracle.h"
#include "runtime/engine.h"
#include "tileops/error.h"

namespace tileops::certify {
namespace {

constexpr std::int64_t kChunk = 1 << 20;  // oracle values held at a time: 24 MB

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

class CallJudge {
 public:
  CallJudge(const Operator& op, const Case& test, std::string kernel, const JudgeOptions& options)
      : op_(op),
        entry_(*op.engine().op()),
        test_(test),
        options_(options),
        params_(with_names(entry_, test.call.params)),
        steering_{std::move(kernel)} {
    for (const TensorView& like : test.call.inputs) {
      const bool dense = !like.given() || entry_.inputs[inputs_.size()].contiguous;
      inputs_.emplace_back(like, dense ? Layout::kDense : test.layout);
      input_views_.push_back(like.given() ? inputs_.back().view() : TensorView{});
    }
    // Outputs are written in place by every kernel: only their alignment varies.
    const Layout layout = test.layout == Layout::kUnaligned ? Layout::kUnaligned : Layout::kDense;
    for (const TensorView& like : op.infer(input_views_, params_)) {
      outputs_.emplace_back(like, layout);
      output_views_.push_back(outputs_.back().view());
      repeated_.emplace_back(like, layout);
    }
  }

  CaseVerdict judge() {
    fill(test_.data, options_.seed);
    if (!applies()) return std::move(verdict_);
    const Prepared prepared =
        op_.prepare(input_views_, output_views_, params_, options_.context, steering_);
    run_guarded(prepared, GuardedTensor::kPoison);
    compare(test_.data, options_.budget, options_.seed);
    if (verdict_.passed) repeat_from_thread();
    if (verdict_.passed && verdict_.elements > 0) {
      // At real size the second look is for dropped, extra and doubled elements.
      const Data fresh = test_.catalogue ? Data::kRowNeedles : test_.data;
      fill(fresh, options_.seed + 1);
      run_guarded(prepared, GuardedTensor::kOtherPoison);
      compare(fresh, std::min(options_.budget, kWholeOutputFlops) / 4, options_.seed + 1);
    }
    return std::move(verdict_);
  }

 private:
  void fail(std::string why) {
    if (verdict_.passed) verdict_.why = std::move(why);
    verdict_.passed = false;
  }

  bool applies() {
    if (steering_.kernel.empty()) return true;
    for (const auto& candidate :
         op_.engine().explain(input_views_, params_, options_.context, steering_)) {
      if (candidate.kernel != steering_.kernel || candidate.applies) continue;
      verdict_.applies = false;
      verdict_.why = candidate.reason;
    }
    return verdict_.applies;
  }

  void fill(Data data, std::uint64_t seed) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!input_views_[i].given()) continue;
      inputs_[i].poison(GuardedTensor::kPoison);
      // Needles in one input at a time: two of them would seldom meet.
      const bool needles = data == Data::kRowNeedles || data == Data::kColumnNeedles;
      const bool plain = needles && seed % inputs_.size() != i;
      fill_input(input_views_[i], entry_.inputs[i].role, plain ? Data::kIntegers : data,
                 seed * 64 + i, options_.context.threads);
    }
  }

  void run_guarded(const Prepared& prepared, std::byte poison) {
    std::vector<std::uint64_t> before;
    for (const GuardedTensor& input : inputs_) before.push_back(input.hash());
    for (GuardedTensor& output : outputs_) output.poison(poison);
    prepared.run(input_views_, output_views_);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::string& name = entry_.inputs[i].name;
      if (inputs_[i].hash() != before[i]) fail("input " + name + " was written");
    }
    look_at_guards(outputs_);
  }

  void look_at_guards(const std::deque<GuardedTensor>& outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string damage = outputs[i].damage();
      if (!damage.empty()) fail("output " + entry_.outputs[i].name + ": wrote " + damage);
    }
  }

  /// Over another poison: an element left unwritten differs from the first run.
  void repeat_from_thread() {
    std::vector<TensorView> views;
    for (GuardedTensor& output : repeated_) {
      output.poison(GuardedTensor::kOtherPoison);
      views.push_back(output.view());
    }
    std::exception_ptr thrown;
    std::thread([&] {
      try {
        op_.into(input_views_, views, params_, options_.context, steering_);
      } catch (...) {
        thrown = std::current_exception();
      }
    }).join();
    if (thrown) std::rethrow_exception(thrown);
    look_at_guards(repeated_);
    const bool promised = std::find(entry_.promises.begin(), entry_.promises.end(),
                                    "deterministic") != entry_.promises.end();
    for (std::size_t i = 0; i < views.size(); ++i) {
      const std::string& name = entry_.outputs[i].name;
      if (has_unwritten(output_views_[i], views[i])) {
        fail("output " + name + ": elements were left unwritten");
      } else if (promised && !same_bits(output_views_[i], views[i])) {
        fail("output " + name + ": the same call gave other bits from a second thread");
      }
    }
  }

  static bool has_unwritten(const TensorView& first, const TensorView& second) {
    if (same_bits(first, second)) return false;
    const auto size = static_cast<std::int64_t>(size_bytes(first.dtype));
    const auto* a = static_cast<const std::byte*>(first.data);
    const auto* b = static_cast<const std::byte*>(second.data);
    const auto all = [size](const std::byte* bytes, std::byte pattern) {
      return std::all_of(bytes, bytes + size, [pattern](std::byte x) { return x == pattern; });
    };
    for (std::int64_t i = 0; i < first.numel(); ++i) {
      if (all(a + i * size, GuardedTensor::kPoison) &&
          all(b + i * size, GuardedTensor::kOtherPoison)) {
        return true;
      }
    }
    return false;
  }

  void compare(Data data, double budget, std::uint64_t seed) {
    if (!oracle_) {
      oracle_.emplace(instance_of(op_, input_views_, params_), oracle::Profile{});
    }
    oracle_->bind(input_views_);
    for (std::size_t i = 0; i < outputs_.size(); ++i) compare_output(i, data, budget, seed);
  }

  void compare_output(std::size_t index, Data data, double budget, std::uint64_t seed) {
    const auto output = static_cast<int>(index);
    const TensorView& actual = output_views_[index];
    const OutputCost cost{actual.shape(), oracle_->cost_per_element(output),
                          oracle_->elements_per_row(output)};
    oracle::Acceptance acceptance(actual.dtype, is_exact(index), has_independent_errors(data));
    std::int64_t judged = 0;
    for (const Range& range : ranges_to_judge(cost, budget, seed)) {
      const std::int64_t step =
          std::max<std::int64_t>(1, kChunk / cost.elements_per_row) * cost.elements_per_row;
      for (std::int64_t begin = range.begin; begin < range.end; begin += step) {
        const std::int64_t end = std::min(range.end, begin + step);
        const int threads = options_.context.threads;
        acceptance.add(oracle_->evaluate(output, begin, end, threads), actual, begin, threads);
        judged += end - begin;
      }
    }
    const double rows = static_cast<double>(judged) * oracle_->independent_share(output);
    const oracle::Verdict verdict = acceptance.verdict(rows);
    verdict_.margin = std::max(verdict_.margin, verdict.margin);
    verdict_.judged = std::max(verdict_.judged, judged);
    verdict_.elements = std::max(verdict_.elements, actual.numel());
    if (!verdict.passed) fail("output " + entry_.outputs[index].name + ": " + explain(verdict));
  }

  static std::string explain(const oracle::Verdict& verdict) {
    if (verdict.first.element < 0) return verdict.why;
    return verdict.why + "; element " + std::to_string(verdict.first.element) + ": expected " +
           number(verdict.first.expected) + ", got " + number(verdict.first.actual) +
           ", tolerance " + number(verdict.first.tolerance) + "; " + std::to_string(verdict.wrong) +
           " of " + std::to_string(verdict.elements) + " wrong";
  }

  /// Equal roundings do not average out: rows that repeat say nothing to the whole-tensor tests.
  bool has_independent_errors(Data data) const {
    return has_random_low_bits(data) && test_.layout != Layout::kBroadcast;
  }

  bool is_exact(std::size_t index) const {
    return std::any_of(entry_.accept.begin(), entry_.accept.end(), [&](const spec::Accept& accept) {
      return accept.output == entry_.outputs[index].name && accept.kind == spec::AcceptKind::kExact;
    });
  }

  const Operator& op_;
  const spec::OpSpec& entry_;
  const Case& test_;
  const JudgeOptions& options_;
  NamedParams params_;
  CallOptions steering_;
  std::deque<GuardedTensor> inputs_, outputs_, repeated_;
  std::vector<TensorView> input_views_, output_views_;
  std::optional<oracle::Oracle> oracle_;
  CaseVerdict verdict_;
};

}  // namespace

CaseVerdict judge_call(const Operator& op,
                       const Case& test,
                       const std::string& kernel,
                       const JudgeOptions& options) {
  try {
    return CallJudge(op, test, kernel, options).judge();
  } catch (const Error& error) {
    CaseVerdict verdict;
    verdict.passed = false;
    verdict.threw = true;
    verdict.why = error.what();
    return verdict;
  }
}

}  // namespace tileops::certify
