// OpSpec to bytes and back, for embedding in the library, and the hash that certificates name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "spec/op_spec.h"

namespace tileops::spec {

/// Every field of every node but spans, in a fixed order with a format version in front.
std::vector<std::byte> to_bytes(const OpSpec& op);
std::vector<std::byte> to_bytes(const Prelude& prelude);
/// Throws Error(kBug) for bytes of another version or torn ones; never reads past the end.
OpSpec op_from_bytes(std::span<const std::byte> bytes);
Prelude prelude_from_bytes(std::span<const std::byte> bytes);

/// 16 hexadecimal digits over what decides the operator's meaning (signature, definition, tolerance
/// fields, prelude helpers that it uses), not over its prose or workloads.
std::string spec_hash(const OpSpec& op, const Prelude& prelude);

}  // namespace tileops::spec
