// One manifest entry from its YAML node. The parts of an entry are read each by a file of its own.
#pragma once

#include "spec/fields.h"
#include "spec/op_spec.h"

namespace tileops::spec {

OpSpec read_entry(const YamlNode& key, const YamlNode& entry, const FieldScope& scope);

void read_signature(const YamlNode& node, const FieldScope& scope, OpSpec& op);
/// Needs the parameters of the signature, whose names may be keys of a workload.
std::vector<Workload> read_workloads(const YamlNode& node,
                                     const FieldScope& scope,
                                     const OpSpec& op);
std::vector<Accept> read_accept(const YamlNode& node, const FieldScope& scope);
std::vector<Law> read_laws(const YamlNode& node, const FieldScope& scope);
std::vector<Statement> read_statements(const YamlNode& node, const FieldScope& scope);

}  // namespace tileops::spec
