// What prints reads back: every construct of the language, in the words of hard operators, and
// every shipped entry, as text and as bytes.
#include "spec/print.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "spec/archive.h"
#include "spec/reader.h"
#include "spec/structure.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

std::shared_ptr<const SourceFile> as_file(const std::string& text) {
  return std::make_shared<const SourceFile>(SourceFile{"text", text});
}

class Definitions : public testing::TestWithParam<std::string> {};

TEST_P(Definitions, ReadBackAsTheyPrint) {
  Diagnostics problems;
  const auto first = parse_definition(as_file(GetParam()), problems);
  ASSERT_TRUE(problems.empty()) << problems.to_text();
  ASSERT_FALSE(first.empty());
  const std::string printed = print(first);
  const auto second = parse_definition(as_file(printed), problems);
  ASSERT_TRUE(problems.empty()) << printed << problems.to_text();
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(equal(first[i], second[i])) << print(first[i]) << "\n" << print(second[i]);
  }
  EXPECT_EQ(print(second), printed);
}

INSTANTIATE_TEST_SUITE_P(
    Operators,
    Definitions,
    testing::Values(
        "d[m, n] = sum(k: (trans_a ? a[k, m] : a[m, k]) * (trans_b ? b[n, k] : b[k, n]))",
        "r[...] = rsqrt(mean(c: x[..., c]^2) + eps)\ny[..., c] = x[..., c] * r[...] * weight[c]",
        "split S... by dim ?? all -> K..., D...\ny[k...] = sum(d...: x[k..., d...])",
        "delta := S_kv - S_q\n"
        "visible(i, j) := (not causal or j <= i + delta) and (left < 0 or j >= i + delta - left)\n"
        "s[b, h, i, j] = cap(tau * sum(d: q[b, i, h, d] * k[b, j, h / R, d]))\n"
        "  where cap(x) := softcap > 0 ? softcap * tanh(x / softcap) : x\n"
        "p[b, h, i, j] = softmax(j | visible(i, j): s[b, h, i, j]) else 0",
        "row(b, j) := table[b, j / page_size] * page_size + j % page_size\n"
        "s[b, h, j] = tau * sum(d: q[b, h, d] * k[row(b, j), h / R, d]) for j < seqlen[b]",
        "S[b, t, c] = a[b, t] * S[b, t - 1, c] + u[b, t, c] from S[b, -1, c] = 0",
        "sorted[slot(f)] <- f default T * K",
        "e[u] = first(e: start[e] <= u * block < start[e] + padded[e]) else -1",
        "o[b, r] = nth(r, j in starts[b] .. min(ends[b], M): by descending score[b, j], nan last)"
        " else -1",
        "code(n, k) := k % 2 == 0 ? bit_and(p[n, k / 2], 15) : shift_right(p[n, k / 2], 4)",
        "f[a] = argmax(i in 0..kh, j in 0..kw | 0 <= y(a, i) < H: x[a, j], ties first, nan last)",
        "m'[c] = (1 - momentum) * m[c] + momentum * mu[c] when training",
        "k_pages'[row(t), d] <- k_new[t, d] default k_pages[row(t), d]",
        "y[i] = round_to(float8_e4m3, x[i], saturate); z[i] = round_to(dtype_out, x[i])",
        "y[i] = w is given ? x[i] * w[i] : x[i]",
        "y[i] = -x[i]^2 + (-x[i])^2 - (a - (b - c)) / (d / e) / f",
        "y[i] = a ?? b ?? c; z[i] = a or b and not c == d; w[i] = p ? q : r ? s : t",
        "y[i] = complex(inf, nan) * 1e-6 + 2.0 * any(j: x[j] > 0) * \"text\""));

ReadResult shipped() {
  return read_manifest_path(std::string(TILEOPS_SOURCE_DIR) + "/manifest", nullptr);
}

TEST(ShippedEntries, ReadBackAsTheyPrint) {
  const ReadResult result = shipped();
  ASSERT_TRUE(result.diagnostics.empty()) << result.diagnostics.to_text();
  ASSERT_GE(result.manifest.operators.size(), 3U);
  for (const OpSpec& op : result.manifest.operators) {
    std::string prelude;
    for (const Helper& helper : result.manifest.prelude.helpers) prelude += print(helper) + "\n";
    const std::string text = print(op);
    const ReadResult again = read_manifest({{"printed.yaml", text}}, {"prelude", prelude});
    ASSERT_TRUE(again.diagnostics.empty()) << text << again.diagnostics.to_text();
    EXPECT_EQ(to_bytes(again.manifest.operators.at(0)), to_bytes(op)) << text;
  }
}

TEST(ShippedEntries, ComeBackFromBytes) {
  const ReadResult result = shipped();
  const Prelude prelude = prelude_from_bytes(to_bytes(result.manifest.prelude));
  for (const OpSpec& op : result.manifest.operators) {
    const OpSpec again = op_from_bytes(to_bytes(op));
    EXPECT_EQ(print(again), print(op));
    EXPECT_EQ(spec_hash(again, prelude), spec_hash(op, result.manifest.prelude));
  }
}

TEST(Archive, RefusesTornBytes) {
  const auto bytes = to_bytes(shipped().manifest.operators.at(0));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(op_from_bytes(std::span(bytes).first(length)), Error) << length;
  }
}

TEST(SpecHash, ChangesWithMeaningAndNotWithProse) {
  const ReadResult result = shipped();
  OpSpec op = result.manifest.operators.at(0);
  const std::string before = spec_hash(op, result.manifest.prelude);
  op.summary += " More words.";
  op.workloads.clear();
  EXPECT_EQ(spec_hash(op, result.manifest.prelude), before);
  op.accumulate.type = DType::kFloat64;
  EXPECT_NE(spec_hash(op, result.manifest.prelude), before);
}

}  // namespace
}  // namespace tileops::spec
