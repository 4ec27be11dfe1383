#include "harness/adapters/external_process/external_placement.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "harness/adapters/external_process/child_process.h"
#include "harness/adapters/placement_protocol.h"
#include "spec/placement_case.h"

namespace shardcheck::external {
namespace {

constexpr std::size_t kIdleProcessesMax = 8;

// A process that has said hello.
struct Session {
  std::unique_ptr<ChildProcess> process;
  PlacementHello hello;
};

// What the instances of one factory share.
struct Program {
  ProgramOptions options;
  std::vector<Session> idle;
  std::optional<std::string> breakdown;

  Result<Session> take() {
    if (!idle.empty()) {
      Session session = std::move(idle.back());
      idle.pop_back();
      return session;
    }
    Result<std::unique_ptr<ChildProcess>> process = ChildProcess::start(options.command);
    if (!process) {
      return std::unexpected<Error>(process.error());
    }
    Session session{*std::move(process), {}};
    const std::string question = fmt::format("hello {}", kPlacementProtocolVersion);
    const Result<std::string> answer = session.process->ask(question, options.timeout);
    if (!answer) {
      return std::unexpected<Error>(answer.error());
    }
    if (const Result<void> read = read_hello(*answer, session.hello); !read) {
      return no_answer(question, *answer, read.error().what);
    }
    return session;
  }

  void give_back(Session session) {
    if (idle.size() < kIdleProcessesMax) {
      idle.push_back(std::move(session));
    }
  }

  std::unexpected<Error> no_answer(std::string_view question, std::string_view answer, std::string_view why) const {
    return fail(fmt::format("child process '{}'", shown(options.command)),
                fmt::format("the program answered '{}' to the line '{}': {}", shown(answer), shown(question), why));
  }
};

class ExternalPlacement final : public Placement {
 public:
  ExternalPlacement(std::shared_ptr<Program> program, PlacementParameters parameters)
      : program_(std::move(program)), parameters_(parameters) {
    Result<Session> session = program_->take();
    if (!session) {
      break_down(session.error());
      return;
    }
    session_ = *std::move(session);
    const std::string question = fmt::format("reset {} {}", parameters.virtual_nodes, parameters.position_bits);
    if (const Result<std::string> answer = ask(question)) {
      if (const Result<void> read = read_hello(*answer, session_.hello); !read) {
        break_down(program_->no_answer(question, *answer, read.error().what).error());
      }
    }
  }
  ExternalPlacement(const ExternalPlacement&) = delete;
  ExternalPlacement& operator=(const ExternalPlacement&) = delete;
  ~ExternalPlacement() override {
    if (session_.process != nullptr) {
      program_->give_back(std::move(session_));
    }
  }

  PlacementPromises promises() const override {
    PlacementPromises promises = session_.hello.promises;
    if (session_.hello.has_points_as_asked) {
      promises.points_per_weight = parameters_.virtual_nodes;
    }
    return promises;
  }

  Result<void> add(const Member& member) override {
    return change(fmt::format("add {} {} {}", to_word(member.name), member.weight, to_word(member.rack)));
  }
  Result<void> remove(std::string_view name) override { return change(fmt::format("remove {}", to_word(name))); }
  Result<void> set_weight(std::string_view name, std::int64_t weight) override {
    return change(fmt::format("weight {} {}", to_word(name), weight));
  }

  Result<std::string_view> owner(std::string_view key) const override {
    return one_name(fmt::format("owner {}", to_word(key)));
  }
  Result<std::vector<std::string_view>> owners(std::span<const std::string> keys) const override {
    std::vector<std::string> words;
    words.reserve(keys.size());
    for (const std::string& key : keys) {
      words.push_back(to_word(key));
    }
    return names_for_all("owners", words);
  }
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override {
    if (!session_.hello.abilities.has_lists) {
      return fail("placement", "has no preference lists");
    }
    return names(fmt::format("list {} {}", count, to_word(key)));
  }

  std::vector<PlacementPoint> points() const override {
    if (!session_.hello.position_max) {
      return {};
    }
    if (!points_) {
      points_ = ask_points();
    }
    return *points_;
  }
  std::uint64_t position_max() const override { return session_.hello.position_max.value_or(0); }
  std::optional<std::uint64_t> position_of(std::string_view key) const override;
  Result<std::string_view> owner_at(std::uint64_t position) const override {
    return one_name(fmt::format("owners_at {}", position));
  }
  Result<std::vector<std::string_view>> owners_at(std::span<const std::uint64_t> positions) const override {
    std::vector<std::string> words;
    for (const std::uint64_t position : positions) {
      words.push_back(std::to_string(position));
    }
    return names_for_all("owners_at", words);
  }

 private:
  void break_down(const Error& why) const {
    session_.process.reset();
    if (!program_->breakdown) {
      program_->breakdown = why.what;
    }
  }
  std::unexpected<Error> break_down_on(std::string_view question, std::string_view answer, std::string_view why) const {
    const auto broken = program_->no_answer(question, answer, why);
    break_down(broken.error());
    return broken;
  }

  // An answer "ok ...", or the refusal.
  Result<std::string> ask(const std::string& question) const;
  Result<std::string_view> one_name(const std::string& question) const;
  Result<std::vector<std::string_view>> names(const std::string& question) const;
  Result<std::vector<std::string_view>> names_for_all(std::string_view verb, std::span<const std::string> words) const;
  std::vector<PlacementPoint> ask_points() const;
  Result<void> change(const std::string& question) {
    names_.clear();
    points_.reset();
    const Result<std::string> answer = ask(question);
    return answer ? Result<void>{} : std::unexpected<Error>(answer.error());
  }

  std::shared_ptr<Program> program_;
  PlacementParameters parameters_;
  mutable Session session_;                                        // without a process once it has broken down
  mutable std::map<std::string, std::string, std::less<>> names_;  // word -> name; what answers refer to
  mutable std::optional<std::vector<PlacementPoint>> points_;      // since the last change
};

Result<std::string> ExternalPlacement::ask(const std::string& question) const {
  if (session_.process == nullptr) {
    return fail("placement", "the program has broken down");
  }
  Result<std::string> answer = session_.process->ask(question, program_->options.timeout);
  if (!answer) {
    break_down(answer.error());
    return answer;
  }
  const std::string_view text = *answer;
  if (text == "error" || text.starts_with("error ")) {
    return fail("placement", shown(text.substr(std::min<std::size_t>(6, text.size()))));
  }
  if (text != "ok" && !text.starts_with("ok ")) {
    return break_down_on(question, text, "it is neither 'ok ...' nor 'error ...'");
  }
  return answer;
}

Result<std::vector<std::string_view>> ExternalPlacement::names(const std::string& question) const {
  const Result<std::string> answer = ask(question);
  if (!answer) {
    return std::unexpected<Error>(answer.error());
  }
  std::vector<std::string_view> found;
  const std::vector<std::string_view> words = words_of_line(*answer);
  for (const std::string_view word : std::span(words).subspan(1)) {
    auto known = names_.find(word);
    if (known == names_.end()) {
      const std::optional<std::string> name = from_word(word);
      if (!name) {
        return break_down_on(question, *answer, fmt::format("'{}' is no word with %XX", shown(word)));
      }
      known = names_.emplace(word, *name).first;
    }
    found.emplace_back(known->second);
  }
  return found;
}

Result<std::string_view> ExternalPlacement::one_name(const std::string& question) const {
  const Result<std::vector<std::string_view>> found = names(question);
  if (!found) {
    return std::unexpected<Error>(found.error());
  }
  if (found->size() != 1) {
    return break_down_on(question, fmt::format("ok and {} words", found->size()), "it should be 'ok' and one name");
  }
  return found->front();
}

Result<std::vector<std::string_view>> ExternalPlacement::names_for_all(std::string_view verb,
                                                                       std::span<const std::string> words) const {
  std::vector<std::string_view> all;
  std::size_t next = 0;
  while (next < words.size()) {
    std::string question(verb);
    const std::size_t first = next;
    while (next < words.size() && (next == first || question.size() + words[next].size() < kPlacementLineBytesMax)) {
      question += " " + words[next];
      ++next;
    }
    const Result<std::vector<std::string_view>> some = names(question);
    if (!some) {
      return some;
    }
    if (some->size() != next - first) {
      return break_down_on(question, fmt::format("ok and {} names", some->size()),
                           fmt::format("it should be 'ok' and {} names", next - first));
    }
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

std::optional<std::uint64_t> ExternalPlacement::position_of(std::string_view key) const {
  if (!session_.hello.position_max) {
    return std::nullopt;
  }
  const std::string question = fmt::format("position {}", to_word(key));
  const Result<std::string> answer = ask(question);
  if (!answer) {
    return std::nullopt;
  }
  const std::vector<std::string_view> words = words_of_line(*answer);
  const std::optional<std::uint64_t> position = words.size() == 2 ? number_of(words[1]) : std::nullopt;
  if (!position || *position > position_max()) {
    break_down_on(question, *answer, fmt::format("it should be 'ok' and a number up to {}", position_max()));
    return std::nullopt;
  }
  return position;
}

std::vector<PlacementPoint> ExternalPlacement::ask_points() const {
  const Result<std::string> answer = ask("points");
  if (!answer) {
    return {};
  }
  std::vector<PlacementPoint> points;
  const std::vector<std::string_view> words = words_of_line(*answer);
  for (const std::string_view word : std::span(words).subspan(1)) {
    const std::size_t colon = word.find(':');
    const std::optional<std::uint64_t> position = number_of(word.substr(0, colon));
    const std::optional<std::string> member =
        colon == std::string_view::npos ? std::nullopt : from_word(word.substr(colon + 1));
    if (!position || *position > position_max() || !member) {
      break_down_on("points", *answer, fmt::format("'{}' is no POSITION:NAME on the circle", shown(word)));
      return {};
    }
    points.push_back({*position, *member});
  }
  return points;
}

}  // namespace

Result<PlacementFactory> external_placement(const ProgramOptions& options) {
  const auto program = std::make_shared<Program>();
  program->options = options;
  Result<Session> session = program->take();
  if (!session) {
    return std::unexpected<Error>(session.error());
  }
  const PlacementAbilities abilities = session->hello.abilities;
  program->give_back(*std::move(session));
  // Asked once for nothing, so that what is broken from the start is bad input and no finding.
  std::make_unique<ExternalPlacement>(program, PlacementParameters{})->promises();
  if (program->breakdown) {
    return fail(fmt::format("child process '{}'", shown(options.command)), *program->breakdown);
  }
  return PlacementFactory{.name = "exec " + shown(options.command),
                          .make = [program](PlacementParameters parameters) -> std::unique_ptr<Placement> {
                            return std::make_unique<ExternalPlacement>(program, parameters);
                          },
                          .abilities = abilities,
                          .take_breakdown = [program] { return std::exchange(program->breakdown, std::nullopt); }};
}

}  // namespace shardcheck::external
