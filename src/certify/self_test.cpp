// A twin that could not be judged counts as a survivor: an error is no verdict.
#include "certify/self_test.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "certify/twins/twin.h"

namespace tileops::certify {
namespace {

TwinReport judge(const Twin& twin,
                 const Operator& sound,
                 Backend& backend,
                 CertifyOptions options,
                 const Progress& progress) {
  const runtime::Engine& engine = sound.engine();
  const Operator op(
      std::make_shared<runtime::Engine>(engine.op(), engine.prelude(), backend,
                                        std::vector<const KernelDescriptor*>{twin.kernel.get()}));
  options.only_kernel = twin.kernel->name();
  options.stop_at_first_failure = true;
  const Certificate certificate = certify_operator(op, options, progress);
  TwinReport report{twin.op, options.only_kernel, twin.fault, false, "passed every case"};
  const auto failure = std::find_if(certificate.reports.begin(), certificate.reports.end(),
                                    [](const CaseReport& one) { return !one.verdict.passed; });
  if (failure == certificate.reports.end()) return report;
  report.rejected = !failure->verdict.threw;
  report.why = failure->label + ": " + failure->verdict.why;
  return report;
}

}  // namespace

bool SelfTest::passed() const {
  return !twins.empty() &&
         std::all_of(twins.begin(), twins.end(), [](const auto& twin) { return twin.rejected; }) &&
         std::all_of(controls.begin(), controls.end(),
                     [](const auto& control) { return control.passed(); });
}

SelfTest self_test(runtime::Registry& registry,
                   Backend& backend,
                   const CertifyOptions& options,
                   const Progress& progress) {
  SelfTest test;
  CertifyOptions small = options;
  small.catalogue = false;
  for (const std::string& name : registry.names()) {
    const Operator op = registry.find(name);
    const runtime::Engine& engine = op.engine();
    small.only_kernel = "derived";
    test.controls.push_back(certify_operator(op, small, progress));
    std::vector<Twin> twins = memory_twins(engine.op(), backend);
    for (Twin& twin : definition_twins(engine.op(), engine.prelude(), backend)) {
      twins.push_back(std::move(twin));
    }
    for (const Twin& twin : twins) {
      TwinReport report = judge(twin, op, backend, small, progress);
      const bool is_broken = !twin.acted || twin.acted->load();
      if (is_broken) test.twins.push_back(std::move(report));
    }
  }
  return test;
}

nlohmann::ordered_json to_json(const SelfTest& test) {
  nlohmann::ordered_json survivors = nlohmann::ordered_json::array();
  for (const TwinReport& twin : test.twins) {
    if (twin.rejected) continue;
    survivors.push_back(
        {{"op", twin.op}, {"twin", twin.twin}, {"fault", twin.fault}, {"why", twin.why}});
  }
  nlohmann::ordered_json controls = nlohmann::ordered_json::array();
  for (const Certificate& control : test.controls) {
    controls.push_back({{"op", control.op},
                        {"passed", control.passed()},
                        {"cases", control.reports.size()},
                        {"margin", control.margin()}});
  }
  return {{"twins", test.twins.size()},
          {"rejected", test.twins.size() - survivors.size()},
          {"survivors", survivors},
          {"controls", controls}};
}

}  // namespace tileops::certify
