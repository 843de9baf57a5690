// Where a node came from: carried by every node of the spec.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tileops::spec {

/// The text of one manifest, kept for messages.
struct SourceFile {
  std::string path;
  std::string text;
};

/// A stretch of one line. Lines and columns count from 1; columns count bytes.
struct SourceSpan {
  std::shared_ptr<const SourceFile> file;  ///< null: made by a pass
  std::int32_t line = 0;
  std::int32_t column = 0;
  std::int32_t length = 0;
};

}  // namespace tileops::spec
