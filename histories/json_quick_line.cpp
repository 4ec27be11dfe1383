#include "histories/json_quick_line.h"

#include <array>
#include <cstring>
#include <span>

namespace shardcheck::histories {
namespace {

constexpr std::size_t kItemsMax = 64;  // of a list
constexpr int kDigitsMax = 18;         // so many always fit 64 bits

enum class Field : std::uint8_t { process, type, f, key, value, time, other };

constexpr unsigned bit(Field field) { return 1U << static_cast<unsigned>(field); }

// Every method gives false (or nothing) at what is unusual; the reader is not used any more after that.
class QuickReader {
 public:
  QuickReader(std::string_view line, ValueTable& values)
      : at_(line.data()), end_(line.data() + line.size()), values_(values) {}

  std::optional<EventLine> read() {
    skip_blanks();
    if (!take('{') || !read_fields()) {
      return std::nullopt;
    }
    skip_blanks();
    constexpr unsigned kNeeded = bit(Field::process) | bit(Field::type) | bit(Field::f) | bit(Field::key);
    if (at_ != end_ || (seen_ & kNeeded) != kNeeded) {
      return std::nullopt;
    }
    if (event_.type != LineType::invoke && event_.type != LineType::ok) {
      event_.has_value = false;
      event_.value = event_.expected = kAbsent;
    }
    return event_;
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) {
      ++at_;
    }
  }

  bool take(char c) {
    if (at_ == end_ || *at_ != c) {
      return false;
    }
    ++at_;
    return true;
  }

  bool read_fields() {
    do {
      skip_blanks();
      std::string_view name;
      if (!take('"') || !read_string(name)) {
        return false;
      }
      const Field field = field_named(name);
      skip_blanks();
      if ((seen_ & bit(field) & ~bit(Field::other)) != 0 || !take(':')) {
        return false;
      }
      seen_ |= bit(field);
      skip_blanks();
      if (!read_field(field)) {
        return false;
      }
      skip_blanks();
    } while (take(','));
    return take('}');
  }

  static Field field_named(std::string_view name) {
    if (name == "process") return Field::process;
    if (name == "type") return Field::type;
    if (name == "f") return Field::f;
    if (name == "key") return Field::key;
    if (name == "value") return Field::value;
    if (name == "time") return Field::time;
    return Field::other;
  }

  bool read_field(Field field) {
    std::string_view text;
    switch (field) {
      case Field::process:
        if (!read_name(event_.process, text)) {
          return false;
        }
        return text != "nemesis";
      case Field::key: return read_name(event_.key, text);
      case Field::type: return take('"') && read_string(text) && set(line_type_named(text), event_.type);
      case Field::f: return take('"') && read_string(text) && set(operation_kind_named(text), event_.kind);
      case Field::time: {
        std::int64_t time = 0;
        if (!read_number(time) || time < 0) {
          return false;
        }
        event_.time = time;
        return true;
      }
      case Field::value: return read_value();
      case Field::other: {
        ValueId ignored;
        return read_scalar(ignored);
      }
    }
    return false;
  }

  template <class Part>
  static bool set(const std::optional<Part>& found, Part& part) {
    if (found) {
      part = *found;
    }
    return found.has_value();
  }

  // Up to the closing quote, which is taken; at_ is behind the opening one.
  bool read_string(std::string_view& text) {
    const char* const start = at_;
    while (at_ != end_ && *at_ != '"') {
      const auto byte = static_cast<unsigned char>(*at_);
      if (byte < 0x20 || byte >= 0x80 || byte == '\\') {
        return false;
      }
      ++at_;
    }
    text = std::string_view(start, static_cast<std::size_t>(at_ - start));
    return take('"');
  }

  bool read_number(std::int64_t& number) {
    const bool is_negative = take('-');
    const char* const start = at_;
    std::int64_t digits = 0;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9' && at_ - start < kDigitsMax) {
      digits = digits * 10 + (*at_ - '0');
      ++at_;
    }
    const auto count = at_ - start;
    // "01" is no JSON; what follows the digits is told by whoever reads on, since only blanks, ',', ']' and '}' may.
    if (count == 0 || (count > 1 && *start == '0')) {
      return false;
    }
    number = is_negative ? -digits : digits;
    return true;
  }

  bool read_name(ValueId& id, std::string_view& text) {
    if (take('"')) {
      if (!read_string(text)) {
        return false;
      }
      id = values_.string(text);
      return true;
    }
    std::int64_t number = 0;
    if (!read_number(number)) {
      return false;
    }
    id = values_.number(number);
    return true;
  }

  bool read_scalar(ValueId& id) {
    if (at_ != end_ && *at_ == 'n') {
      id = kAbsent;
      if (end_ - at_ < 4 || std::memcmp(at_, "null", 4) != 0) {
        return false;
      }
      at_ += 4;
      return true;
    }
    std::string_view ignored;
    return read_name(id, ignored);
  }

  bool read_value() {
    if (take('[')) {
      return read_list();
    }
    // A cas takes a pair, and its name has to stand before, so that we know.
    event_.has_value = true;
    return read_scalar(event_.value) && (seen_ & bit(Field::f)) != 0 && event_.kind != OperationKind::compare_and_set;
  }

  bool read_list() {
    std::array<ValueId, kItemsMax> items;
    std::size_t count = 0;
    skip_blanks();
    if (!take(']')) {
      do {
        skip_blanks();
        if (count == kItemsMax || !read_scalar(items[count])) {
          return false;
        }
        ++count;
        skip_blanks();
      } while (take(','));
      if (!take(']')) {
        return false;
      }
    }
    if ((seen_ & bit(Field::f)) == 0) {
      return false;
    }
    event_.has_value = true;
    if (event_.kind == OperationKind::compare_and_set) {
      event_.expected = items[0];
      event_.value = items[1];
      return count == 2;
    }
    event_.value = values_.list(std::span(items).first(count));
    return true;
  }

  const char* at_;
  const char* const end_;
  ValueTable& values_;
  EventLine event_;
  unsigned seen_ = 0;
};

}  // namespace

std::optional<EventLine> parse_quickly(std::string_view line, ValueTable& values) {
  return QuickReader(line, values).read();
}

}  // namespace shardcheck::histories
