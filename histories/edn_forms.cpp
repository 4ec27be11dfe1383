#include "histories/edn_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "histories/edn_cursor.h"

namespace shardcheck::histories {

EdnForms::EdnForms(std::unique_ptr<ByteSource> source, std::string name, ReadBudget* budget,
                   std::size_t form_length_max)
    : window_(std::move(source), budget), name_(std::move(name)), form_length_max_(form_length_max) {}

std::string EdnForms::place() const { return number_ == 0 ? name_ : fmt::format("{}:{}", name_, number_); }

std::string EdnForms::place_here() const { return fmt::format("{}:{}", name_, line_); }

EdnForms::Found EdnForms::wrong(std::string what) {
  what_is_wrong_ = std::move(what);
  return Found::wrong;
}

void EdnForms::use_up(std::size_t count) {
  line_ += static_cast<std::uint64_t>(std::ranges::count(window_.text().substr(0, count), '\n'));
  window_.use_up(count);
}

Result<std::optional<std::span<const std::string_view>>> EdnForms::next() {
  while (true) {
    switch (look()) {
      case Found::map: {
        const std::uint64_t number = std::max<std::uint64_t>(line_, std::uint64_t{number_} + 1);
        if (number > std::numeric_limits<std::uint32_t>::max()) {
          return fail(name_, "has more lines than can be counted");
        }
        number_ = static_cast<std::uint32_t>(number);
        has_maps_ = true;
        use_up(length_);
        return std::span<const std::string_view>(items_);
      }
      case Found::end: return std::nullopt;
      case Found::something: break;
      case Found::wrong:
      case Found::nothing_yet:
        if (window_.text().size() > form_length_max_) {
          return fail(place_here(), fmt::format("a form is longer than {} MiB", form_length_max_ >> 20U));
        }
        if (!what_is_wrong_.empty()) {
          return fail(place_here(), what_is_wrong_);
        }
        if (const Result<void> more = window_.read_more(); !more) {
          return fail(place_here(), more.error().what);
        }
        break;
    }
  }
}

// One look at what the window has: uses up what stands before a map, and finds the end of the map.
EdnForms::Found EdnForms::look() {
  EdnCursor cursor(window_.text(), window_.is_at_end());
  if (!cursor.skip_blanks()) {
    return cursor.is_cut() ? Found::nothing_yet : wrong(cursor.problem());
  }
  use_up(cursor.offset());
  const std::string_view text = window_.text();
  if (text.empty()) {
    if (!window_.is_at_end()) {
      return Found::nothing_yet;
    }
    return where_ == Where::in_collection ? wrong(fmt::format("the file ends too early: '{}' is missing", close_))
                                          : Found::end;
  }
  if (text.front() == '#') {
    EdnCursor tag(text, window_.is_at_end());
    std::string_view name;
    if (!tag.take_token(name)) {
      return tag.is_cut() ? Found::nothing_yet : wrong(tag.problem());
    }
    if (name == "#") {
      return wrong("not a map: a history in EDN is maps, or one vector of maps");
    }
    use_up(tag.offset());
    return Found::something;
  }
  if (text.front() != '{') {
    return enter_or_leave(text.front());
  }
  if (where_ == Where::behind_collection) {
    return wrong("something follows the end of the history");
  }
  EdnCursor form(text, window_.is_at_end());
  items_.clear();
  if (!form.take_map(items_)) {
    return form.is_cut() ? Found::nothing_yet : wrong(form.problem());
  }
  length_ = form.offset();
  return Found::map;
}

EdnForms::Found EdnForms::enter_or_leave(char c) {
  if ((c == '[' || c == '(') && where_ == Where::at_top && !has_maps_) {
    where_ = Where::in_collection;
    close_ = c == '[' ? ']' : ')';
  } else if (c == close_ && where_ == Where::in_collection) {
    where_ = Where::behind_collection;
  } else {
    return wrong(where_ == Where::behind_collection ? "something follows the end of the history"
                                                    : "not a map: a history in EDN is maps, or one vector of maps");
  }
  use_up(1);
  return Found::something;
}

}  // namespace shardcheck::histories
