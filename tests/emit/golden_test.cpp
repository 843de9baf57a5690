// Generated texts of the shipped manifest, against copies that a reader has approved.
// TILEOPS_REFRESH=1 writes them anew (scripts/refresh_golden.sh).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "emit/emit.h"
#include "spec/reader.h"

namespace tileops::emit {
namespace {

const std::filesystem::path kSource = TILEOPS_SOURCE_DIR;

void expect_golden(const std::string& name, const std::string& actual) {
  const auto path = kSource / "tests" / "golden" / name;
  if (std::getenv("TILEOPS_REFRESH") != nullptr) std::ofstream(path, std::ios::binary) << actual;
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; run scripts/refresh_golden.sh";
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(actual, expected) << "run scripts/refresh_golden.sh and review the diff";
}

spec::Manifest manifest(const std::filesystem::path& path) {
  auto read = spec::read_manifest_path(path, nullptr);
  EXPECT_EQ(read.diagnostics.to_text(), "");
  return std::move(read.manifest);
}

TEST(Golden, HeadersOfTheShippedFamilies) {
  const spec::Manifest shipped = manifest(kSource / "manifest");
  std::map<std::string, std::vector<const spec::OpSpec*>> families;
  for (const auto& op : shipped.operators) {
    families[std::filesystem::path(op.span.file->path).stem().string()].push_back(&op);
  }
  ASSERT_FALSE(families.empty());
  for (const auto& [family, ops] : families) {
    expect_golden(family + ".h", family_header(family, ops));
  }
}

TEST(Golden, HeaderOfEveryKindOfArgument) {
  const spec::Manifest kinds = manifest(kSource / "tests" / "golden" / "kinds.yaml");
  std::vector<const spec::OpSpec*> ops;
  for (const auto& op : kinds.operators) ops.push_back(&op);
  ASSERT_FALSE(ops.empty());
  expect_golden("kinds.h", family_header("kinds", ops));
  expect_golden("kinds.md", docs_page(*ops.front()));
}

}  // namespace
}  // namespace tileops::emit
