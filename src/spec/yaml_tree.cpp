// Events of yaml-cpp to YamlNodes. The only file that sees yaml-cpp.
#include "spec/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

namespace tileops::spec {

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &items[i];
  }
  return nullptr;
}

std::string_view kind_name(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return "a scalar";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
  }
  return "";
}

namespace {

constexpr std::size_t kMaxBytes = 16 << 20;

SourceSpan span_of(const std::shared_ptr<const SourceFile>& file, const YamlNode& node) {
  auto length = static_cast<std::int32_t>(std::clamp<std::size_t>(node.text.size(), 1, 80));
  return {file, node.line, node.column, length};
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const SourceFile> file, Diagnostics& diagnostics)
      : file_(std::move(file)), diagnostics_(diagnostics) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(node(YamlNode::Kind::kNull, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    YamlNode alias = node(YamlNode::Kind::kNull, mark);
    diagnostics_.add({span_of(file_, alias),
                      {},
                      {},
                      "an alias (`*name`)",
                      "plain values",
                      {},
                      "write the value out"});
    add(std::move(alias));
  }
  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t,
                const std::string& value) override {
    YamlNode scalar = node(YamlNode::Kind::kScalar, mark);
    scalar.text = value;
    scalar.quoted = tag == "!";
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string&,
                       YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open_.push_back(node(YamlNode::Kind::kSequence, mark));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark,
                  const std::string&,
                  YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open_.push_back(node(YamlNode::Kind::kMap, mark));
  }
  void OnMapEnd() override { close(); }

 private:
  static YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode out;
    out.kind = kind;
    out.line = mark.line + 1;
    out.column = mark.column + 1;
    return out;
  }

  void close() {
    YamlNode done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done));
  }

  void add(YamlNode child) {
    if (open_.empty()) {
      root_ = std::move(child);
      return;
    }
    YamlNode& parent = open_.back();
    bool is_key = parent.kind == YamlNode::Kind::kMap && parent.keys.size() == parent.items.size();
    if (is_key) {
      check_key(parent, child);
      parent.keys.push_back(std::move(child));
    } else {
      parent.items.push_back(std::move(child));
    }
  }

  void check_key(const YamlNode& parent, const YamlNode& key) {
    if (key.kind != YamlNode::Kind::kScalar) {
      diagnostics_.add({span_of(file_, key),
                        {},
                        {},
                        "a key that is not a word",
                        "a name",
                        std::string(kind_name(key.kind)),
                        {}});
      return;
    }
    for (const YamlNode& other : parent.keys) {
      if (other.text != key.text) continue;
      diagnostics_.add({span_of(file_, key),
                        {},
                        {},
                        "duplicate key `" + key.text + "`",
                        "each key once",
                        "first given in line " + std::to_string(other.line),
                        "remove one of them"});
      return;
    }
  }

  std::shared_ptr<const SourceFile> file_;
  Diagnostics& diagnostics_;
  YamlNode root_;
  std::vector<YamlNode> open_;
};

void refuse(Diagnostics& diagnostics,
            const std::shared_ptr<const SourceFile>& file,
            std::int32_t line,
            std::int32_t column,
            std::string problem,
            std::string mend) {
  diagnostics.add({{file, line, column, 1}, {}, {}, std::move(problem), {}, {}, std::move(mend)});
}

std::string_view line_of(std::string_view text, std::int32_t line) {
  for (std::int32_t i = 1; i < line; ++i) {
    std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::optional<YamlNode> parse_yaml(const std::shared_ptr<const SourceFile>& file,
                                   Diagnostics& diagnostics) {
  if (file->text.size() > kMaxBytes) {
    refuse(diagnostics, file, 1, 1, "the file is larger than 16 MiB", "split it by family");
    return std::nullopt;
  }
  std::size_t zero = file->text.find('\0');
  if (zero != std::string::npos) {
    refuse(diagnostics, file, 1, 1, "the file holds binary data", "give a YAML text");
    return std::nullopt;
  }
  try {
    std::istringstream stream(file->text);
    YAML::Parser parser(stream);
    TreeBuilder builder(file, diagnostics);
    if (!parser.HandleNextDocument(builder)) return YamlNode{};
    YamlNode root = builder.take_root();
    TreeBuilder rest(file, diagnostics);
    if (parser.HandleNextDocument(rest)) {
      refuse(diagnostics, file, 1, 1, "more than one YAML document", "remove the `---`");
    }
    return root;
  } catch (const YAML::Exception& error) {
    refuse(diagnostics, file, std::max(error.mark.line + 1, 1), std::max(error.mark.column + 1, 1),
           "not YAML: " + error.msg, {});
    return std::nullopt;
  }
}

TextPlace place_of(const YamlNode& scalar, const std::shared_ptr<const SourceFile>& file) {
  TextPlace place;
  place.file = file;
  place.line = scalar.line;
  place.columns = {scalar.column};
  std::string_view line = line_of(file->text, scalar.line);
  auto at = static_cast<std::size_t>(scalar.column - 1);
  char first = at < line.size() ? line[at] : ' ';
  if (first == '"' || first == '\'') {
    place.columns = {scalar.column + 1};
  } else if (scalar.quoted) {  // a block scalar: its text starts in the next line that is not blank
    std::size_t indent = std::string_view::npos;
    std::int32_t begin = scalar.line;
    for (std::int32_t i = 1; i < 100 && indent == std::string_view::npos; ++i) {
      indent = line_of(file->text, scalar.line + i).find_first_not_of(" \r");
    }
    place.line = begin + 1;
    place.columns = {indent == std::string_view::npos ? 1 : static_cast<std::int32_t>(indent) + 1};
  }
  return place;
}

}  // namespace tileops::spec
