// Bytes of nodes by their fields(). Numbers are little-endian, lists carry their length.
#include "spec/archive.h"

#include <bit>
#include <cstring>

#include "spec/rewrite.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr int kMaxDepth = 600;

Error broken(const std::string& what) {
  return Error(ErrorKind::kBug, {{}, "archive", "an operator archived by this version", what, {}});
}

class Writer {
 public:
  std::vector<std::byte> take() { return std::move(bytes_); }

  void put(std::int64_t value) {
    auto bits = static_cast<std::uint64_t>(value);
    do {  // seven bits a byte: most numbers are small
      auto low = static_cast<unsigned char>(bits & 0x7F);
      bits >>= 7;
      bytes_.push_back(std::byte{static_cast<unsigned char>(low | (bits ? 0x80 : 0))});
    } while (bits);
  }
  void put(bool value) { put(static_cast<std::int64_t>(value)); }
  void put(double value) {
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i) {
      bytes_.push_back(std::byte{static_cast<unsigned char>(bits >> (8 * i))});
    }
  }
  void put(const std::string& value) {
    put(static_cast<std::int64_t>(value.size()));
    for (char c : value) bytes_.push_back(std::byte{static_cast<unsigned char>(c)});
  }
  void put(std::monostate) {}
  void put(const ExprPtr& value) {
    put(value != nullptr);
    if (value) put(*value);
  }
  template <class T>
    requires std::is_enum_v<T>
  void put(T value) {
    put(static_cast<std::int64_t>(value));
  }
  template <class T>
  void put(const std::vector<T>& list) {
    put(static_cast<std::int64_t>(list.size()));
    for (const T& item : list) put(item);
  }
  template <class K, class V>
  void put(const std::map<K, V>& map) {
    put(static_cast<std::int64_t>(map.size()));
    for (const auto& [key, value] : map) put(key), put(value);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& pair) {
    put(pair.first), put(pair.second);
  }
  template <class... T>
  void put(const std::variant<T...>& value) {
    put(static_cast<std::int64_t>(value.index()));
    std::visit([&](const auto& x) { put(x); }, value);
  }
  template <class T>
    requires requires { T::fields(); }
  void put(const T& value) {
    std::apply([&](auto... field) { (put(value.*field), ...); }, T::fields());
  }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  void get(std::int64_t& value) {
    std::uint64_t bits = 0;
    for (int shift = 0;; shift += 7) {
      auto byte = static_cast<std::uint64_t>(next());
      if (shift > 63) throw broken("a number that is too long");
      bits |= (byte & 0x7F) << shift;
      if (!(byte & 0x80)) break;
    }
    value = static_cast<std::int64_t>(bits);
  }
  void get(bool& value) { value = number() != 0; }
  void get(double& value) {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= static_cast<std::uint64_t>(next()) << (8 * i);
    value = std::bit_cast<double>(bits);
  }
  void get(std::string& value) {
    std::size_t size = length();
    value.assign(reinterpret_cast<const char*>(bytes_.data() + at_), size);
    at_ += size;
  }
  void get(std::monostate&) {}
  void get(ExprPtr& value) {
    bool present = false;
    get(present);
    if (!present) return;
    if (++depth_ > kMaxDepth) throw broken("nodes nested too deeply");
    Expr expr;
    get(expr);
    --depth_;
    value = std::make_shared<const Expr>(std::move(expr));
  }
  template <class T>
    requires std::is_enum_v<T>
  void get(T& value) {
    value = static_cast<T>(number());
  }
  template <class T>
  void get(std::vector<T>& list) {
    std::size_t size = length();
    list.clear();
    for (std::size_t i = 0; i < size; ++i) get(list.emplace_back());
  }
  template <class K, class V>
  void get(std::map<K, V>& map) {
    std::size_t size = length();
    for (std::size_t i = 0; i < size; ++i) {
      K key;
      get(key);
      get(map[key]);
    }
  }
  template <class A, class B>
  void get(std::pair<A, B>& pair) {
    get(pair.first), get(pair.second);
  }
  template <class... T>
  void get(std::variant<T...>& value) {
    get_alternative(value, number(), std::index_sequence_for<T...>{});
  }
  template <class T>
    requires requires { T::fields(); }
  void get(T& value) {
    std::apply([&](auto... field) { (get(value.*field), ...); }, T::fields());
  }
  void expect_end() const {
    if (at_ != bytes_.size()) throw broken("bytes that are left over");
  }

 private:
  template <class Variant, std::size_t... I>
  void get_alternative(Variant& value, std::int64_t index, std::index_sequence<I...>) {
    bool found = ((index == static_cast<std::int64_t>(I) ? (get(value.template emplace<I>()), true)
                                                         : false) ||
                  ...);
    if (!found) throw broken("an unknown kind of node");
  }
  std::int64_t number() {
    std::int64_t value = 0;
    get(value);
    return value;
  }
  /// Every item takes a byte at least, so a torn length cannot ask for more than is there.
  std::size_t length() {
    std::int64_t size = number();
    if (size < 0 || static_cast<std::uint64_t>(size) > bytes_.size() - at_) {
      throw broken("a list longer than the archive");
    }
    return static_cast<std::size_t>(size);
  }
  unsigned next() {
    if (at_ >= bytes_.size()) throw broken("fewer bytes");
    return static_cast<unsigned>(bytes_[at_++]);
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

template <class T>
std::vector<std::byte> archived(const T& value) {
  Writer writer;
  writer.put(static_cast<std::int64_t>(kVersion));
  writer.put(value);
  return writer.take();
}

template <class T>
T restored(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  std::int64_t version = 0;
  reader.get(version);
  if (version != kVersion) throw broken("version " + std::to_string(version));
  T value;
  reader.get(value);
  reader.expect_end();
  return value;
}

/// FNV-1a, 64 bits. http://www.isthe.com/chongo/tech/comp/fnv/
std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t hash) {
  for (std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3ULL;
  return hash;
}

/// Helpers of the prelude that expressions use, directly or through other helpers.
void collect_helpers(const ExprPtr& expr,
                     const Prelude& prelude,
                     std::map<std::string, const Helper*>& out) {
  for_each_node(expr, [&](const ExprPtr& node) {
    const auto* call = get_if<Call>(node);
    const auto* reduce = get_if<Reduce>(node);
    const std::string* name = call ? &call->function : reduce ? &reduce->name : nullptr;
    const Helper* helper = name ? prelude.find(*name) : nullptr;
    if (helper && out.emplace(*name, helper).second) collect_helpers(helper->body, prelude, out);
  });
}

}  // namespace

std::vector<std::byte> to_bytes(const OpSpec& op) {
  return archived(op);
}
std::vector<std::byte> to_bytes(const Prelude& prelude) {
  return archived(prelude);
}
OpSpec op_from_bytes(std::span<const std::byte> bytes) {
  return restored<OpSpec>(bytes);
}
Prelude prelude_from_bytes(std::span<const std::byte> bytes) {
  return restored<Prelude>(bytes);
}

std::string spec_hash(const OpSpec& op, const Prelude& prelude) {
  OpSpec meaning = op;
  for (std::string* prose : {&meaning.summary, &meaning.family, &meaning.since, &meaning.ref_api,
                             &meaning.doc, &meaning.backward}) {
    prose->clear();
  }
  meaning.workloads.clear();
  meaning.kernel_map.clear();
  meaning.axes.clear();
  meaning.roofline = {};
  std::uint64_t hash = fnv1a(to_bytes(meaning), 0xcbf29ce484222325ULL);
  std::map<std::string, const Helper*> helpers;
  for (const Statement& statement : op.definition) {
    for_each_expr(statement, [&](const ExprPtr& expr) { collect_helpers(expr, prelude, helpers); });
  }
  for (const auto& [name, helper] : helpers) hash = fnv1a(archived(*helper), hash);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = kDigits[(hash >> (4 * i)) & 15];
  return text;
}

}  // namespace tileops::spec
