// What follows from a manifest as text: one artifact a function, one function a file.
#pragma once

#include <string>
#include <vector>

#include "spec/op_spec.h"

namespace tileops::emit {

/// Archived operators, and the table of kernels that their kernel maps name.
std::string embedded_manifest(const spec::Manifest& manifest);
std::string kernel_table(const spec::Manifest& manifest);
/// Typed operators of one family: include/tileops/ops/<family>.h.
std::string family_header(const std::string& family, const std::vector<const spec::OpSpec*>& ops);
/// One class of it.
std::string operator_class(const spec::OpSpec& op);
/// The operator's page, Markdown.
std::string docs_page(const spec::OpSpec& op);

}  // namespace tileops::emit
