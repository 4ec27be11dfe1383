#include "histories/picture_bands.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "histories/picture_selection.h"

namespace shardcheck::histories {
namespace {

// What begins and what ends it, as first words of an event; a row further up counts first. In Jepsen's older tests
// `start` and `stop` are about a partition, in the newer ones `start` ends a `kill`.
struct Family {
  std::string_view begins;
  std::array<std::string_view, 5> ends;
};

constexpr std::array kFamilies = {
    Family{"move", {"moved", "move failed", "move done", "move aborted", "move ended"}},
    Family{"kill", {"restart", "start", "recover", "revive", "resume"}},
    Family{"crash", {"restart", "start", "recover", "revive", "resume"}},
    Family{"pause", {"resume", "continue", "cont", "unpause", "start"}},
    Family{"partition", {"heal", "healed", "stop-partition", "unpartition", "stop"}},
    Family{"start-partition", {"stop-partition", "heal", "healed", "stop", "unpartition"}},
    Family{"cut", {"heal", "healed", "mend", "join", "restore"}},
    Family{"isolate", {"heal", "healed", "mend", "join", "restore"}},
    Family{"start", {"stop", "stopped", "heal", "healed", "end"}},
    Family{"begin", {"end", "ended", "finish", "finished", "stop"}},
};

bool is_in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

bool begins_with_words(std::string_view text, std::string_view words) {
  return !words.empty() && text.starts_with(words) && (text.size() == words.size() || !is_in_word(text[words.size()]));
}

bool is_end_of(const Family& family, std::string_view what) {
  return std::ranges::any_of(family.ends, [&](std::string_view words) { return begins_with_words(what, words); });
}

// What an event is about: all behind its first word.
std::string_view object_of(std::string_view text) {
  const std::size_t space = text.find(' ');
  return space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
}

std::string lower(std::string_view text) {
  std::string out(text.substr(0, 200));
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

class BandMaker {
 public:
  explicit BandMaker(const History& history) : history_(history) {}

  std::vector<NemesisBand> run() {
    TrueTime last;
    for (std::uint32_t i = 0; i < history_.nemesis.size(); ++i) {
      const NemesisEvent& event = history_.nemesis[i];
      last = std::max(last, event.at.value_or(time_before(event.line)));
      add(i, last, lower(event.what));
    }
    return std::move(bands_);
  }

 private:
  struct Open {
    std::uint32_t band;  // index into bands_
    const Family* family;
    std::string what;
  };

  TrueTime time_before(std::uint32_t line) const {
    const auto after = std::ranges::upper_bound(history_.operations, line, {}, &RecordedOperation::invoke_line);
    return after == history_.operations.begin() ? TrueTime{} : std::prev(after)->invoked_at;
  }

  void add(std::uint32_t event, TrueTime at, const std::string& what) {
    // Jepsen writes each event twice, when it is asked for and when it is done.
    if (!asked_.empty() && asked_ == what) {
      asked_.clear();
      for (const std::uint32_t band : touched_) {
        bands_[band].until = at;
        bands_[band].end_event = event;
      }
      return;
    }
    asked_ = what;
    touched_.clear();
    if (end(event, at, what)) {
      return;
    }
    const auto number = static_cast<std::uint32_t>(bands_.size());
    const auto family = std::ranges::find_if(
        kFamilies, [&](const Family& f) { return begins_with_words(what, f.begins) && !is_end_of(f, what); });
    if (family == kFamilies.end()) {
      bands_.push_back({.from = at, .until = at, .event = event, .end_event = {}});
      touched_.push_back(number);
    } else if (open_.size() < kOpenMax) {
      bands_.push_back({.from = at, .until = {}, .event = event, .end_event = {}});
      open_.push_back({number, &*family, what});
    }
  }

  // Ends what the event is an end of: the bands about the same object if there are any, else all of that family.
  bool end(std::uint32_t event, TrueTime at, const std::string& what) {
    std::vector<std::size_t> matching;
    const Family* family = nullptr;
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (is_end_of(*open_[i].family, what) && (family == nullptr || family == open_[i].family)) {
        family = open_[i].family;
        matching.push_back(i);
      }
    }
    const std::string_view object = object_of(what);
    const auto is_about_it = [&](std::size_t i) { return !object.empty() && object_of(open_[i].what) == object; };
    if (std::ranges::any_of(matching, is_about_it)) {
      std::erase_if(matching, [&](std::size_t i) { return !is_about_it(i); });
    }
    // From the last to the first, so that the numbers in front of an erased one still hold.
    for (const std::size_t i : matching) {
      NemesisBand& band = bands_[open_[i].band];
      band.until = at;
      band.end_event = event;
      touched_.push_back(open_[i].band);
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return !matching.empty();
  }

  // A history that begins a thousand things and ends none of them is no longer made clearer by bands.
  static constexpr std::size_t kOpenMax = 1'000;

  const History& history_;
  std::vector<NemesisBand> bands_;
  std::vector<Open> open_;
  std::string asked_;                   // the event before, unless it was the second of two
  std::vector<std::uint32_t> touched_;  // the bands that the event before ended, or the moment that it was
};

}  // namespace

std::vector<NemesisBand> bands_of(const History& history) { return BandMaker(history).run(); }

std::vector<std::uint32_t> nearest_bands(const History& history, const std::vector<NemesisBand>& bands,
                                         const std::vector<std::uint32_t>& operations, std::size_t count_max) {
  std::vector<std::uint32_t> order;
  const std::size_t count = std::min(bands.size(), count_max);
  if (operations.empty() || count == bands.size()) {
    for (std::size_t i = 0; i < count; ++i) {
      order.push_back(static_cast<std::uint32_t>(i * bands.size() / count));
    }
    return order;
  }
  TrueTime begin = history.operations[operations.front()].invoked_at;
  TrueTime end = begin;
  for (const std::uint32_t index : operations) {
    begin = std::min(begin, history.operations[index].invoked_at);
    end = std::max(end, end_of(history.operations[index]));
  }
  std::vector<std::pair<Duration, std::uint32_t>> distances;
  for (std::uint32_t i = 0; i < bands.size(); ++i) {
    const TrueTime until = bands[i].until.value_or(end);
    const Duration before = until < begin ? begin - until : Duration{0};
    distances.emplace_back(end < bands[i].from ? bands[i].from - end : before, i);
  }
  std::ranges::partial_sort(distances, distances.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    order.push_back(distances[i].second);
  }
  return order;
}

}  // namespace shardcheck::histories
