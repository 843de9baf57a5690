// YAML as a small tree of our own with places in the file. It hides yaml-cpp, and refuses what that
// library lets pass: duplicate keys, aliases, several documents.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/diagnostic.h"
#include "spec/parser.h"

namespace tileops::spec {

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  std::string text;     ///< of a scalar
  bool quoted = false;  ///< a scalar that was not plain
  std::int32_t line = 1, column = 1;
  std::vector<YamlNode> keys;   ///< of a map, in order
  std::vector<YamlNode> items;  ///< values of a map, or a sequence

  const YamlNode* find(std::string_view key) const;
};

/// Null, and diagnostics, where the text is not YAML that we take.
std::optional<YamlNode> parse_yaml(const std::shared_ptr<const SourceFile>& file,
                                   Diagnostics& diagnostics);

/// Where the text of a scalar lies, so that messages about its expressions point at the column.
TextPlace place_of(const YamlNode& scalar, const std::shared_ptr<const SourceFile>& file);
std::string_view kind_name(YamlNode::Kind kind);

}  // namespace tileops::spec
