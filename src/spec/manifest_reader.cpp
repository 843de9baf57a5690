// Files to a checked manifest: every entry is read, whatever is wrong with the others.
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "spec/checks/check.h"
#include "spec/entry_reader.h"
#include "spec/print.h"
#include "spec/reader.h"
#include "tileops/error.h"

namespace tileops::spec {

const Helper* Prelude::find(std::string_view name) const {
  for (const Helper& helper : helpers) {
    if (helper.name == name) return &helper;
  }
  return nullptr;
}

const OpSpec* Manifest::find(std::string_view name) const {
  auto at = std::lower_bound(operators.begin(), operators.end(), name,
                             [](const OpSpec& op, std::string_view key) { return op.name < key; });
  return at != operators.end() && at->name == name ? &*at : nullptr;
}

namespace {

void read_file(const std::shared_ptr<const SourceFile>& file,
               ReadResult& result,
               std::set<std::string>& broken) {
  Diagnostics& all = result.diagnostics;
  auto root = parse_yaml(file, all);
  if (!root || root->kind == YamlNode::Kind::kNull) return;
  FieldScope top{file, {}, {}, &all};
  if (root->kind != YamlNode::Kind::kMap) {
    top.problem(*root, "a manifest is a map from operator to entry", "a map",
                std::string(kind_name(root->kind)));
    return;
  }
  for (std::size_t i = 0; i < root->keys.size(); ++i) {
    Diagnostics found;
    OpSpec op = read_entry(root->keys[i], root->items[i], {file, root->keys[i].text, {}, &found});
    auto& operators = result.manifest.operators;
    auto same = std::find_if(operators.begin(), operators.end(),
                             [&](const OpSpec& other) { return other.name == op.name; });
    if (same != operators.end() && same->span.file != file) {
      found.add({op.span,
                 op.name,
                 {},
                 "duplicate operator `" + op.name + "`",
                 "each operator once",
                 "first given in " + same->span.file->path + ":" + std::to_string(same->span.line),
                 "remove one of them"});
    }
    if (!found.empty()) broken.insert(op.name);
    for (const Diagnostic& item : found.items()) all.add(item);
    operators.push_back(std::move(op));
  }
}

void read_prelude(const SourceFile& prelude, ReadResult& result) {
  auto file = std::make_shared<const SourceFile>(prelude);
  for (Statement& statement : parse_definition(file, result.diagnostics)) {
    if (auto* helper = std::get_if<Helper>(&statement)) {
      result.manifest.prelude.helpers.push_back(std::move(*helper));
    } else {
      Diagnostic problem;
      problem.span = {file, 1, 1, 1};
      problem.problem = "the prelude holds helpers only";
      problem.expected = "name(arguments) := expression";
      problem.actual = print(statement);
      result.diagnostics.add(std::move(problem));
    }
  }
}

/// Entries that could not be read are reported already; the others are checked.
void finish(ReadResult& result, const std::set<std::string>& broken) {
  auto& operators = result.manifest.operators;
  std::erase_if(operators, [&](const OpSpec& op) { return broken.count(op.name) != 0; });
  std::sort(operators.begin(), operators.end(),
            [](const OpSpec& a, const OpSpec& b) { return a.name < b.name; });
  check_manifest(result.manifest, result.diagnostics);
}

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) {
    throw Error(ErrorKind::kMachine, {{}, path.string(), "a readable file", "none", {}});
  }
  return text.str();
}

}  // namespace

ReadResult read_manifest(const std::vector<SourceFile>& files, const SourceFile& prelude) {
  ReadResult result;
  read_prelude(prelude, result);
  std::set<std::string> broken;
  for (const SourceFile& file : files) {
    read_file(std::make_shared<const SourceFile>(file), result, broken);
  }
  finish(result, broken);
  return result;
}

ReadResult read_manifest_path(const std::filesystem::path& path, const Prelude* fallback_prelude) {
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;
  std::error_code error;
  bool folder = fs::is_directory(path, error);
  if (folder) {
    for (const auto& item : fs::directory_iterator(path, error)) {
      if (item.path().extension() == ".yaml") paths.push_back(item.path());
    }
    std::sort(paths.begin(), paths.end());
  } else {
    paths.push_back(path);
  }
  if (paths.empty()) {
    throw Error(ErrorKind::kMachine, {{}, path.string(), "a manifest (*.yaml)", "none", {}});
  }
  ReadResult result;
  fs::path prelude = (folder ? path : path.parent_path()) / "prelude";
  if (fs::exists(prelude, error)) {
    read_prelude({prelude.string(), read_text_file(prelude)}, result);
  } else if (fallback_prelude) {
    result.manifest.prelude = *fallback_prelude;
  }
  std::set<std::string> broken;
  for (const fs::path& file : paths) {
    read_file(std::make_shared<const SourceFile>(SourceFile{file.string(), read_text_file(file)}),
              result, broken);
  }
  finish(result, broken);
  return result;
}

}  // namespace tileops::spec
