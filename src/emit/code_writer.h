// Text of generated files, and writing them only where they change.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tileops::emit {

/// A C++ string literal of any bytes, cut into lines.
std::string cpp_bytes(std::string_view bytes);
/// A string literal of text.
std::string cpp_string(std::string_view text);
/// `text` as lines of `/// ...` at an indentation.
std::string doc_comment(std::string_view text, std::string_view indent);

/// False: the file had this text already and was not touched.
bool write_if_changed(const std::filesystem::path& path, const std::string& text);

}  // namespace tileops::emit
