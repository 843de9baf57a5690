// The command line on the shipped operators: answers, JSON and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.h"

namespace tileops::cli {
namespace {

using testing::HasSubstr;

TEST(List, NamesOperatorsFamiliesAndKernels) {
  const Answer answer = tileops("list --json");
  ASSERT_EQ(answer.code, 0);
  bool found = false;
  for (const auto& op : answer.json()) {
    EXPECT_EQ(op["kernels"]["cpu"].back(), "derived") << op;
    if (op["op"] != "GemmFwdOp") continue;
    found = true;
    EXPECT_EQ(op["family"], "gemm");
    EXPECT_EQ(op["kernels"]["cpu"].front(), "gemm_dnnl");
  }
  EXPECT_TRUE(found);
}

TEST(Check, TheShippedManifestHasNoProblems) {
  const Answer answer = tileops("check --json " TILEOPS_SOURCE_DIR "/manifest");
  ASSERT_EQ(answer.code, 0);
  EXPECT_TRUE(answer.json()["errors"].empty());
  EXPECT_GE(answer.json()["operators"], 3);
}

TEST(Show, PrintsTheEntryAndWhatPassesMakeOfIt) {
  const Answer entry = tileops("show RMSNormFwdOp");
  EXPECT_EQ(entry.code, 0);
  EXPECT_THAT(entry.text, HasSubstr("normalized_shape"));
  const Answer instance =
      tileops("show RMSNormFwdOp --after=instantiate --workload llama-8b-decode");
  EXPECT_EQ(instance.code, 0);
  EXPECT_THAT(instance.text, HasSubstr("4096"));
  const Answer unknown = tileops("show RMSNormFwdOp --after=nonsense 2>&1");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.text, HasSubstr("instantiate"));
}

TEST(Explain, GivesEveryKernelAVerdict) {
  const Answer answer = tileops("explain GemmFwdOp --size M=3 --size N=5 --size K=7 --json");
  ASSERT_EQ(answer.code, 0);
  int chosen = 0;
  for (const auto& kernel : answer.json()) chosen += kernel["chosen"].get<bool>();
  EXPECT_EQ(chosen, 1);
}

TEST(Run, JudgesAndSavesWhatCanBeLoadedAgain) {
  const Folder folder;
  const std::string call = "run GemmFwdOp --dtype bfloat16 --param trans_b=false ";
  const Answer first = tileops(
      call + "--size M=33 --size N=17 --size K=65 --oracle --json --save " + folder.file("first"));
  ASSERT_EQ(first.code, 0) << first.text;
  EXPECT_TRUE(first.json()["passed"]);
  const Answer second =
      tileops(call + "--load " + folder.file("first") + " --save " + folder.file("second"));
  ASSERT_EQ(second.code, 0);
  const auto bytes = [&](const std::string& name) {
    std::ifstream file(folder.file(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_GT(bytes("first/d.npy").size(), 33U * 17U * 4U);
  EXPECT_EQ(bytes("first/d.npy"), bytes("second/d.npy"));
  EXPECT_GT(bytes("first/d.oracle.npy").size(), 33U * 17U * 8U);
}

TEST(ExitCodes, SayWhoseFaultItIs) {
  EXPECT_EQ(tileops("--help").code, 0);
  EXPECT_EQ(tileops("--nonsense 2>/dev/null").code, 2);
  EXPECT_EQ(tileops("show NoSuchOp 2>/dev/null").code, 2);
  EXPECT_EQ(tileops("run RMSNormFwdOp --workload nonsense 2>/dev/null").code, 2);
  EXPECT_EQ(tileops("certify 2>/dev/null").code, 2);
  EXPECT_EQ(tileops("list --manifest /no/such/file.yaml 2>/dev/null").code, 3);
  EXPECT_THAT(tileops("certify --help").text, HasSubstr("Exit codes"));
}

TEST(Doctor, SeesTheMachine) {
  const Answer answer = tileops("doctor --json");
  ASSERT_EQ(answer.code, 0);
  EXPECT_EQ(answer.json()["backend"], "cpu");
  EXPECT_FALSE(answer.json()["targets"].empty());
}

TEST(Certify, SmallCasesOfEveryOperatorPass) {
  const Answer answer = tileops("certify --all --small --json");
  EXPECT_EQ(answer.code, 0) << answer.text;
  for (const auto& one : answer.json()) {
    EXPECT_TRUE(one["passed"]) << one["op"];
    EXPECT_GT(one["cases"], 50);
    EXPECT_EQ(one["failed"], 0);
    EXPECT_LT(one["margin"], 0.5) << one["op"];
    EXPECT_EQ(one["spec_hash"].get<std::string>().size(), 16U);
    EXPECT_EQ(one["kernel_hash"].get<std::string>().size(), 16U);
    EXPECT_EQ(one["device"], "cpu");
  }
}

TEST(Certify, RejectsEveryBrokenTwin) {
  const Answer answer = tileops("certify --self-test --json");
  EXPECT_EQ(answer.code, 0) << answer.text;
  EXPECT_GE(answer.json()["twins"], 8);
  EXPECT_EQ(answer.json()["rejected"], answer.json()["twins"]);
  EXPECT_TRUE(answer.json()["survivors"].empty());
}

TEST(Certify, WritesWhatWasRun) {
  const Folder folder;
  const Answer written = tileops("certify SiluAndMulFwdOp --small --out " + folder.file("c"));
  EXPECT_EQ(written.code, 0) << written.text;
  std::ifstream file(folder.file("c/cpu/SiluAndMulFwdOp.json"));
  const auto certificate = nlohmann::json::parse(file);
  EXPECT_EQ(certificate["cases"], certificate["ran"].size());
}

}  // namespace
}  // namespace tileops::cli
