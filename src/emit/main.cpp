// tileops-emit --manifest DIR --out DIR: prints what follows from the manifest.
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "emit/code_writer.h"
#include "emit/emit.h"
#include "spec/reader.h"
#include "tileops/error.h"

namespace {

using tileops::emit::write_if_changed;

int emit_all(const std::filesystem::path& manifest_dir, const std::filesystem::path& out) {
  const auto result = tileops::spec::read_manifest_path(manifest_dir, nullptr);
  if (!result.diagnostics.empty()) {
    std::fputs(result.diagnostics.to_text().c_str(), stderr);
    return 1;
  }
  const auto& manifest = result.manifest;
  write_if_changed(out / "embedded_manifest.cpp", tileops::emit::embedded_manifest(manifest));
  write_if_changed(out / "kernel_table.cpp", tileops::emit::kernel_table(manifest));
  std::map<std::string, std::vector<const tileops::spec::OpSpec*>> families;
  for (const auto& file : std::filesystem::directory_iterator(manifest_dir)) {
    if (file.path().extension() == ".yaml") families[file.path().stem().string()];
  }
  for (const auto& op : manifest.operators) {
    families[std::filesystem::path(op.span.file->path).stem().string()].push_back(&op);
    write_if_changed(out / "docs" / (op.name + ".md"), tileops::emit::docs_page(op));
  }
  for (const auto& [family, ops] : families) {
    write_if_changed(out / "include" / "tileops" / "ops" / (family + ".h"),
                     tileops::emit::family_header(family, ops));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  if (argc != 5 || !options.count("--manifest") || !options.count("--out")) {
    std::fputs("usage: tileops-emit --manifest DIR --out DIR\n", stderr);
    return 2;
  }
  try {
    return emit_all(options["--manifest"], options["--out"]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tileops-emit: %s\n", error.what());
    return 1;
  }
}
