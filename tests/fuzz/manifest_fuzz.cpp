// Any text as a manifest, with a prelude behind a line of dashes: problems are reported, nothing
// crashes, and what was accepted prints to text that is accepted again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "spec/print.h"
#include "spec/reader.h"

namespace {

constexpr const char* kDivider = "\n-----\n";

void read_twice(std::string manifest, const std::string& prelude) {
  namespace spec = tileops::spec;
  const spec::SourceFile functions{"prelude", prelude};
  const auto first = spec::read_manifest({{"fuzz.yaml", std::move(manifest)}}, functions);
  std::string text = first.diagnostics.to_text();
  if (!first.diagnostics.empty()) return;
  for (const spec::OpSpec& op : first.manifest.operators) {
    const std::string printed = spec::print(op);
    const auto second = spec::read_manifest({{"printed.yaml", printed}}, functions);
    if (!second.diagnostics.empty()) std::abort();
    if (spec::print(second.manifest.operators.at(0)) != printed) std::abort();
  }
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t divider = text.find(kDivider);
  if (divider == std::string::npos) {
    read_twice(text, "");
  } else {
    read_twice(text.substr(0, divider), text.substr(divider + std::string(kDivider).size()));
  }
  return 0;
}
