// One mistake a file in tests/errors/, the expected text beside it. TILEOPS_REFRESH=1 writes the
// texts anew, for review as a diff (scripts/refresh_golden.sh).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "spec/reader.h"

namespace tileops::spec {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = TILEOPS_SOURCE_DIR;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> mistakes() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(kSource / "tests/errors")) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Errors : public testing::TestWithParam<std::string> {};

TEST_P(Errors, AreReportedByTheirText) {
  const fs::path folder = kSource / "tests/errors";
  const std::string file = GetParam() + ".yaml";
  const SourceFile prelude{"prelude", read_file(kSource / "manifest/prelude")};
  const ReadResult result = read_manifest({{file, read_file(folder / file)}}, prelude);
  const std::string text = result.diagnostics.to_text();
  const fs::path expected = folder / (GetParam() + ".txt");
  if (std::getenv("TILEOPS_REFRESH") != nullptr) std::ofstream(expected, std::ios::binary) << text;
  EXPECT_FALSE(result.diagnostics.empty());
  for (const Diagnostic& item : result.diagnostics.items()) {
    EXPECT_EQ(result.manifest.find(item.op), nullptr) << "accepted in spite of its problem";
  }
  EXPECT_EQ(text, read_file(expected));
}

std::string name_of(const testing::TestParamInfo<std::string>& test) {
  return test.param;
}

INSTANTIATE_TEST_SUITE_P(Files, Errors, testing::ValuesIn(mistakes()), name_of);

}  // namespace
}  // namespace tileops::spec
