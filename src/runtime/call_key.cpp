// Keys of calls. Nothing is allocated once `key.words` has grown to its size.
#include "runtime/call_key.h"

#include <algorithm>
#include <bit>

namespace tileops::runtime {
namespace {

class Packer {
 public:
  explicit Packer(CallKey& key) : words_(key.words) { words_.clear(); }

  void add(std::uint64_t word) { words_.push_back(word); }
  void add(std::int64_t word) { words_.push_back(static_cast<std::uint64_t>(word)); }

  void text(const std::string& value) {
    add(static_cast<std::uint64_t>(value.size()));
    for (std::size_t i = 0; i < value.size(); i += 8) {
      std::uint64_t word = 0;
      for (std::size_t j = i; j < std::min(i + 8, value.size()); ++j) {
        word = word << 8 | static_cast<unsigned char>(value[j]);
      }
      add(word);
    }
  }

  void tensor(const TensorView& view) {
    auto address = reinterpret_cast<std::uintptr_t>(view.data);
    // Kernels ask for alignments up to 128 bytes; what is beyond makes no difference.
    auto alignment =
        static_cast<std::uint64_t>(view.data ? std::min(std::countr_zero(address), 7) : 8);
    add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(view.rank)) << 32 |
        static_cast<std::uint64_t>(view.dtype) << 16 |
        static_cast<std::uint64_t>(view.device.type) << 8 | alignment);
    if (view.rank < 0) return;
    add(static_cast<std::int64_t>(view.device.index));
    for (std::size_t axis = 0; axis < view.shape().size(); ++axis) {
      add(view.sizes[axis]);
      add(view.steps[axis]);
    }
  }

  void param(const std::string& name, const ParamValue& value) {
    text(name);
    add(static_cast<std::uint64_t>(value.index()));
    if (const auto* x = std::get_if<bool>(&value)) add(static_cast<std::uint64_t>(*x));
    if (const auto* x = std::get_if<std::int64_t>(&value)) add(*x);
    if (const auto* x = std::get_if<double>(&value)) add(std::bit_cast<std::uint64_t>(*x));
    if (const auto* x = std::get_if<DType>(&value)) add(static_cast<std::uint64_t>(*x));
    if (const auto* x = std::get_if<std::string>(&value)) text(*x);
    if (const auto* x = std::get_if<Ints>(&value)) {
      add(static_cast<std::uint64_t>(x->size()));
      for (std::int64_t item : *x) add(item);
    }
  }

 private:
  std::vector<std::uint64_t>& words_;
};

/// Multiply and rotate, word by word; the full key is compared as well.
std::uint64_t hash_of(const std::vector<std::uint64_t>& words) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (std::uint64_t word : words) hash = std::rotl((hash ^ word) * 0xff51afd7ed558ccdULL, 29);
  return hash ^ (hash >> 32);
}

}  // namespace

void make_key(CallKey& key,
              std::span<const TensorView> inputs,
              std::span<const TensorView> outputs,
              const NamedParams& params,
              const Context& context,
              const std::string& kernel) {
  Packer pack(key);
  pack.add(static_cast<std::uint64_t>(inputs.size()) << 32 | outputs.size());
  pack.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(context.threads)) << 32 |
           static_cast<std::uint64_t>(context.device.type) << 16 |
           static_cast<std::uint16_t>(context.device.index));
  pack.text(kernel);
  for (const TensorView& view : inputs) pack.tensor(view);
  for (const TensorView& view : outputs) pack.tensor(view);
  for (const auto& [name, value] : params) pack.param(name, value);
  key.hash = hash_of(key.words);
}

}  // namespace tileops::runtime
