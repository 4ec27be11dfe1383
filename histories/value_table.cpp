#include "histories/value_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "histories/flat_map.h"
#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61U) - 1;
constexpr std::uint64_t kBase = 1'234'567'890'123'456'789U;
static_assert(kBase < kPrime);

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t reduced(Wide product) {
  std::uint64_t folded = static_cast<std::uint64_t>(product & kPrime) + static_cast<std::uint64_t>(product >> 61U);
  folded = (folded & kPrime) + (folded >> 61U);
  return folded == kPrime ? 0 : folded;
}

constexpr std::uint64_t product_of(std::uint64_t left, std::uint64_t right) { return reduced(Wide{left} * right); }

constexpr std::uint64_t base_to_the(std::uint64_t exponent) {
  std::uint64_t power = 1;
  std::uint64_t square = kBase;
  for (; exponent != 0; exponent >>= 1U) {
    if ((exponent & 1U) != 0) {
      power = product_of(power, square);
    }
    square = product_of(square, square);
  }
  return power;
}

constexpr std::uint64_t kBase2 = base_to_the(2);
constexpr std::uint64_t kBase3 = base_to_the(3);
constexpr std::uint64_t kBase4 = base_to_the(4);

}  // namespace

// A unit counts as one more than it is, so that leading zeros are not lost.
void SequenceHash::add(std::uint32_t unit) { digits = reduced(Wide{digits} * kBase + unit + 1); }

SequenceHash SequenceHash::followed_by(SequenceHash right, std::uint64_t length) const {
  return SequenceHash{reduced(Wide{digits} * base_to_the(length) + right.digits)};
}

SequenceHash hash_of_bytes(std::string_view bytes) {
  SequenceHash hash;
  std::size_t i = 0;
  const auto digit = [&bytes](std::size_t at) { return Wide{static_cast<unsigned char>(bytes[at])} + 1; };
  // Four at a time, because the products of four bytes do not wait for one another.
  for (; i + 4 <= bytes.size(); i += 4) {
    hash.digits = reduced(Wide{hash.digits} * kBase4 + digit(i) * kBase3 + digit(i + 1) * kBase2 +
                          digit(i + 2) * kBase + digit(i + 3));
  }
  for (; i < bytes.size(); ++i) {
    hash.add(static_cast<unsigned char>(bytes[i]));
  }
  return hash;
}

ValueTable::ValueTable() { clear(); }

void ValueTable::clear() {
  entries_.clear();
  entries_.push_back(Entry{});
  buckets_.assign(std::max<std::size_t>(16, std::min<std::size_t>(buckets_.size(), 256)), 0);
  bytes_.clear();
  items_.clear();
}

std::uint64_t ValueTable::chain_key(StoredKind kind, std::uint64_t hash, std::uint64_t length) {
  return mixed(hash ^ mixed(length * 4 + static_cast<std::uint64_t>(kind)));
}

std::uint32_t& ValueTable::bucket_of(const Entry& entry) {
  return buckets_[chain_key(entry.kind, entry.hash, entry.length) & (buckets_.size() - 1)];
}

ValueId ValueTable::add(Entry entry) {
  SHARDCHECK_ASSERT(entries_.size() < kSmallNumber);
  if (entries_.size() > buckets_.size()) {
    grow();
  }
  std::uint32_t& bucket = bucket_of(entry);
  entry.next_in_chain = bucket;
  bucket = size();
  entries_.push_back(entry);
  return ValueId{bucket};
}

void ValueTable::grow() {
  buckets_.assign(buckets_.size() * 2, 0);
  for (std::uint32_t id = 1; id < size(); ++id) {
    std::uint32_t& bucket = bucket_of(entries_[id]);
    entries_[id].next_in_chain = bucket;
    bucket = id;
  }
}

ValueId ValueTable::next_with_hash(StoredKind kind, SequenceHash hash, std::uint64_t length, ValueId after) const {
  std::uint32_t id = after == kAbsent ? buckets_[chain_key(kind, hash.digits, length) & (buckets_.size() - 1)]
                                      : entries_[after.value].next_in_chain;
  while (id != 0 && (entries_[id].kind != kind || entries_[id].hash != hash.digits || entries_[id].length != length)) {
    id = entries_[id].next_in_chain;
  }
  return ValueId{id};
}

std::optional<ValueId> ValueTable::find_number(std::int64_t n) const {
  if (fits_small_number(n)) {
    return small_number(n);
  }
  const ValueId id = next_with_hash(StoredKind::number, SequenceHash{mixed(static_cast<std::uint64_t>(n))}, 0, kAbsent);
  // The hash of a number is a bijection of it, so that no comparison is needed.
  return id == kAbsent ? std::nullopt : std::optional(id);
}

ValueId ValueTable::number(std::int64_t n) {
  if (const auto known = find_number(n)) {
    return *known;
  }
  const auto bits = static_cast<std::uint64_t>(n);
  return add({.kind = StoredKind::number, .start = bits, .hash = mixed(bits)});
}

ValueId ValueTable::string(std::string_view bytes) {
  const SequenceHash hash = hash_of_bytes(bytes);
  ValueId id = next_with_hash(StoredKind::string, hash, bytes.size(), kAbsent);
  while (id != kAbsent && string_of(id) != bytes) {
    id = next_with_hash(StoredKind::string, hash, bytes.size(), id);
  }
  if (id != kAbsent) {
    return id;
  }
  const std::uint64_t start = bytes_.size();
  bytes_.append(bytes);
  return add({.kind = StoredKind::string, .start = start, .length = bytes.size(), .hash = hash.digits});
}

ValueId ValueTable::list(std::span<const ValueId> items) {
  SequenceHash hash;
  for (const ValueId item : items) {
    hash.add(item.value);
  }
  ValueId id = next_with_hash(StoredKind::list, hash, items.size(), kAbsent);
  while (id != kAbsent && !std::ranges::equal(list_of(id), items)) {
    id = next_with_hash(StoredKind::list, hash, items.size(), id);
  }
  if (id != kAbsent) {
    return id;
  }
  const std::uint64_t start = items_.size();
  items_.insert(items_.end(), items.begin(), items.end());
  return add({.kind = StoredKind::list, .start = start, .length = items.size(), .hash = hash.digits});
}

StoredKind ValueTable::kind(ValueId id) const {
  return is_small_number(id) ? StoredKind::number : entries_[id.value].kind;
}

std::int64_t ValueTable::number_of(ValueId id) const {
  SHARDCHECK_ASSERT(kind(id) == StoredKind::number);
  return is_small_number(id) ? small_number_of(id) : static_cast<std::int64_t>(entries_[id.value].start);
}

std::string_view ValueTable::string_of(ValueId id) const {
  SHARDCHECK_ASSERT(kind(id) == StoredKind::string);
  const Entry& entry = entries_[id.value];
  return std::string_view(bytes_).substr(entry.start, entry.length);
}

std::span<const ValueId> ValueTable::list_of(ValueId id) const {
  SHARDCHECK_ASSERT(kind(id) == StoredKind::list);
  const Entry& entry = entries_[id.value];
  return std::span(items_).subspan(entry.start, entry.length);
}

std::uint64_t ValueTable::length_of(ValueId id) const { return is_small_number(id) ? 0 : entries_[id.value].length; }

SequenceHash ValueTable::hash_of(ValueId id) const {
  SHARDCHECK_ASSERT(!is_small_number(id));
  return SequenceHash{entries_[id.value].hash};
}

std::string ValueTable::to_text(ValueId id) const {
  std::string text;
  append_text(id, text);
  return text;
}

// Recursion is bounded by how deep lists are nested, which the reader bounds.
void ValueTable::append_text(ValueId id, std::string& out) const {
  switch (kind(id)) {
    case StoredKind::absent: out += "null"; break;
    case StoredKind::number: append_number(number_of(id), out); break;
    case StoredKind::string: append_quoted(string_of(id), out); break;
    case StoredKind::list: {
      out += '[';
      bool is_first = true;
      for (const ValueId item : list_of(id)) {
        out += is_first ? "" : ",";
        append_text(item, out);
        is_first = false;
      }
      out += ']';
      break;
    }
  }
}

void append_number(std::int64_t number, std::string& out) {
  const fmt::format_int text(number);
  out.append(text.data(), text.size());
}

void append_quoted(std::string_view bytes, std::string& out) {
  out += '"';
  for (const char c : bytes) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace shardcheck::histories
