// The fault is written in the definition language: the twin computes what this other entry means.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "certify/twins/twin.h"
#include "spec/instantiate.h"
#include "spec/print.h"
#include "spec/reader.h"
#include "tileops/error.h"

namespace tileops::certify {
namespace {

struct Mutation {
  std::string_view op, name, fault, definition;
};

constexpr Mutation kMutations[] = {
    {"AddFwdOp", "twin_ignores_alpha", "adds without alpha",
     "output[...] = input[...] or other[...] when dtype(input) == bool\n"
     "output[...] = input[...] + other[...] when dtype(input) != bool\n"},
    {"AddFwdOp", "twin_rounded_product", "rounds the scaled tensor to bfloat16",
     "output[...] = input[...] or (alpha != 0 and other[...]) when dtype(input) == bool\n"
     "output[...] = input[...] + alpha * other[...] when dtype(input) != bool and not "
     "is_floating(input)\n"
     "output[...] = input[...] + round_to(bfloat16, alpha * other[...]) when is_floating(input)\n"},
    {"GemmFwdOp", "twin_last_k_dropped", "leaves out the last term of the sum",
     "d[m, n] = sum(k | k < K - 1: (trans_a ? a[k, m] : a[m, k]) * "
     "(trans_b ? b[n, k] : b[k, n]))\n"},
    {"GemmFwdOp", "twin_bfloat16_partial_sums", "rounds two partial sums to bfloat16",
     "d[m, n] = round_to(bfloat16, sum(k | k < K / 2: (trans_a ? a[k, m] : a[m, k]) * "
     "(trans_b ? b[n, k] : b[k, n]))) + round_to(bfloat16, sum(k | k >= K / 2: "
     "(trans_a ? a[k, m] : a[m, k]) * (trans_b ? b[n, k] : b[k, n])))\n"},
    {"GemmFwdOp", "twin_rounded_products", "rounds every product to bfloat16",
     "d[m, n] = sum(k: round_to(bfloat16, (trans_a ? a[k, m] : a[m, k]) * "
     "(trans_b ? b[n, k] : b[k, n])))\n"},
    {"SoftmaxFwdOp", "twin_no_maximum", "does not take the maximum away before exp",
     "total[k...] = sum(d...: exp(x[k..., d...]))\n"
     "output[k..., d...] = exp(x[k..., d...]) / total[k...]\n"},
    {"SoftmaxFwdOp", "twin_rounded_total", "rounds the sum of exponentials to bfloat16",
     "top[k...] = max(d...: x[k..., d...])\n"
     "total[k...] = round_to(bfloat16, sum(d...: exp(x[k..., d...] - top[k...])))\n"
     "output[k..., d...] = exp(x[k..., d...] - top[k...]) / total[k...]\n"},
    {"SumFwdOp", "twin_rounded_terms", "rounds every term to bfloat16",
     "output[k...] = sum(d...: round_to(bfloat16, x[k..., d...]))\n"},
    {"SiluAndMulFwdOp", "twin_swapped_halves", "takes the second half as the gate",
     "output[m, n] = silu(x[m, n + N]) * x[m, n]\n"},
    {"SiluAndMulFwdOp", "twin_rounded_gate", "rounds the gate to bfloat16",
     "output[m, n] = round_to(bfloat16, silu(x[m, n])) * x[m, n + N]\n"},
    {"RMSNormFwdOp", "twin_eps_outside_root", "adds eps outside the square root",
     "r[...] = 1 / (sqrt(mean(c...: square(x[..., c...]))) + (eps ?? 1e-6))\n"
     "output[..., c...] = x[..., c...] * r[...] * weight[c...]\n"},
    {"RMSNormFwdOp", "twin_wrong_count", "divides the sum of squares by one too many",
     "r[...] = rsqrt(sum(c...: square(x[..., c...])) / (count(c...: true) + 1) + (eps ?? 1e-6))\n"
     "output[..., c...] = x[..., c...] * r[...] * weight[c...]\n"},
    {"RMSNormFwdOp", "twin_ignores_eps", "always takes the default eps",
     "r[...] = rsqrt(mean(c...: square(x[..., c...])) + 1e-6)\n"
     "output[..., c...] = x[..., c...] * r[...] * weight[c...]\n"},
    {"RMSNormFwdOp", "twin_rounded_statistic", "rounds the row's factor to bfloat16",
     "r[...] = round_to(bfloat16, rsqrt(mean(c...: square(x[..., c...])) + (eps ?? 1e-6)))\n"
     "output[..., c...] = x[..., c...] * r[...] * weight[c...]\n"},
};

/// What the kernel would compute if `entry` were the operator.
class OtherMeaning : public KernelDescriptor {
 public:
  OtherMeaning(std::string_view name,
               SharedSpec entry,
               SharedPrelude prelude,
               const KernelDescriptor& good)
      : name_(name), entry_(std::move(entry)), prelude_(std::move(prelude)), good_(good) {}

  std::string_view name() const override { return name_; }
  Applies applies(const KernelCall& call, const DeviceInfo& device) const override {
    const spec::Instance other = meaning(call);
    return good_.applies(with(call, other), device);
  }
  std::size_t workspace_bytes(const KernelCall& call, const KernelConfig& config) const override {
    const spec::Instance other = meaning(call);
    return good_.workspace_bytes(with(call, other), config);
  }
  Launch launch(const KernelCall& call, const KernelConfig& config) const override {
    const spec::Instance other = meaning(call);
    return good_.launch(with(call, other), config);
  }

 private:
  spec::Instance meaning(const KernelCall& call) const {
    const spec::CallShapes shapes{call.inputs, call.params};
    return spec::instantiate(entry_, prelude_, shapes, spec::solve_sizes(*entry_, shapes));
  }
  static KernelCall with(const KernelCall& call, const spec::Instance& other) {
    KernelCall changed = call;
    changed.instance = &other;
    return changed;
  }

  std::string name_;
  SharedSpec entry_;
  SharedPrelude prelude_;
  const KernelDescriptor& good_;
};

/// Cuts the low bits of a float32 result instead of rounding it.
class TruncatingProgram : public HostProgram {
 public:
  TruncatingProgram(Launch good, std::vector<TensorView> outputs)
      : good_(std::move(good)), outputs_(std::move(outputs)) {}

  void run(const KernelArgs& args) const override {
    std::vector<std::vector<float>> wide;
    std::vector<void*> pointers;
    for (const TensorView& output : outputs_) {
      wide.emplace_back(static_cast<std::size_t>(output.numel()) + 1);
      pointers.push_back(wide.back().data());
    }
    KernelArgs inner = args;
    inner.outputs = pointers.data();
    good_.host->run(inner);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const TensorView output(args.outputs[i], outputs_[i].dtype, outputs_[i].shape());
      // 7 explicit bits of bfloat16, 10 of float16.
      const std::uint32_t mask = output.dtype == DType::kBFloat16 ? 0xFFFF0000U : 0xFFFFE000U;
      for (std::int64_t e = 0; e < output.numel(); ++e) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &wide[i][static_cast<std::size_t>(e)], sizeof bits);
        bits &= mask;
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        store_element(output, e, static_cast<double>(value));
      }
    }
  }

 private:
  Launch good_;
  std::vector<TensorView> outputs_;
};

class TruncatingKernel : public OtherMeaning {
 public:
  using OtherMeaning::OtherMeaning;
  Applies applies(const KernelCall& call, const DeviceInfo& device) const override {
    const std::vector<TensorView> wide = widened(call);
    return OtherMeaning::applies(with_outputs(call, wide), device);
  }
  std::size_t workspace_bytes(const KernelCall& call, const KernelConfig& config) const override {
    const std::vector<TensorView> wide = widened(call);
    return OtherMeaning::workspace_bytes(with_outputs(call, wide), config);
  }
  Launch launch(const KernelCall& call, const KernelConfig& config) const override {
    const std::vector<TensorView> wide = widened(call);
    return {std::make_shared<TruncatingProgram>(
        OtherMeaning::launch(with_outputs(call, wide), config),
        std::vector<TensorView>(call.outputs.begin(), call.outputs.end()))};
  }

 private:
  static std::vector<TensorView> widened(const KernelCall& call) {
    std::vector<TensorView> wide;
    for (const TensorView& output : call.outputs) {
      wide.emplace_back(output.data, DType::kFloat32, output.shape());
    }
    return wide;
  }
  static KernelCall with_outputs(const KernelCall& call, const std::vector<TensorView>& outputs) {
    KernelCall changed = call;
    changed.outputs = outputs;
    return changed;
  }
};

/// The entry with another text, checked as any manifest is.
SharedSpec reread(const spec::OpSpec& op, const SharedPrelude& prelude) {
  std::string helpers;
  for (const spec::Helper& helper : prelude->helpers) {
    helpers += spec::print(spec::Statement(helper)) + "\n";
  }
  spec::ReadResult read =
      spec::read_manifest({{"<twin>", spec::print(op)}}, {"<prelude>", std::move(helpers)});
  if (!read.diagnostics.empty() || read.manifest.operators.empty()) {
    throw Error(ErrorKind::kBug, {.op = op.name,
                                  .argument = "broken twin",
                                  .expected = "an entry that checks",
                                  .actual = read.diagnostics.to_text(),
                                  .mend = "correct src/certify/twins/definition_twins.cpp"});
  }
  return std::make_shared<const spec::OpSpec>(std::move(read.manifest.operators.front()));
}

SharedSpec mutated(const spec::OpSpec& op,
                   std::string_view definition,
                   const SharedPrelude& prelude) {
  spec::Diagnostics problems;
  const auto file =
      std::make_shared<const spec::SourceFile>(spec::SourceFile{"<twin>", std::string(definition)});
  spec::OpSpec other = op;
  other.definition = spec::parse_definition(file, problems);
  return reread(other, prelude);
}

}  // namespace

std::vector<Twin> definition_twins(const SharedSpec& op,
                                   const SharedPrelude& prelude,
                                   const Backend& backend) {
  std::vector<Twin> twins;
  for (const Mutation& mutation : kMutations) {
    if (mutation.op != op->name) continue;
    twins.push_back(
        {op->name, std::string(mutation.fault),
         std::make_shared<OtherMeaning>(mutation.name, mutated(*op, mutation.definition, prelude),
                                        prelude, backend.derived())});
  }
  spec::OpSpec wide = *op;
  for (spec::TensorSpec& output : wide.outputs) output.dtype = {{DType::kFloat32}, "", ""};
  twins.push_back({op->name, "truncates instead of rounding",
                   std::make_shared<TruncatingKernel>("twin_truncates", reread(wide, prelude),
                                                      prelude, backend.derived())});
  return twins;
}

}  // namespace tileops::certify
