// The directory's state beside the records: the two levels, by which a record is looked up, and settings; and the whole
// of it as snapshots carry it.
#include <algorithm>
#include <utility>

#include "impl/directory_state.h"
#include "impl/overloaded.h"
#include "spec/assert.h"
#include "spec/key_model.h"

namespace shardcheck::impl {

std::vector<StatePart> DirectoryState::parts() const {
  std::vector<StatePart> parts;
  for (const ShardRecord& record : records_) {
    parts.emplace_back(RecordPart{record, changed_at(record.shard)});
  }
  parts.insert(parts.end(), metadata_.begin(), metadata_.end());
  parts.insert(parts.end(), settings_.begin(), settings_.end());
  parts.insert(parts.end(), answers_.begin(), answers_.end());
  return parts;
}

void DirectoryState::restore(std::span<const StatePart> parts) {
  records_.clear();
  changed_at_.clear();
  metadata_.clear();
  settings_.clear();
  answers_.clear();
  last_change_ = top_version_ = {};
  for (const StatePart& part : parts) {
    std::visit(Overloaded{
                   [this](const RecordPart& it) {
                     records_.push_back(it.record);
                     changed_at_.push_back(it.changed_at);
                     last_change_ = std::max(last_change_, it.changed_at);
                   },
                   [this](const MetadataShard& it) {
                     metadata_.push_back(it);
                     top_version_ = std::max(top_version_, it.since);
                   },
                   [this](const SettingPart& it) { settings_.push_back(it); },
                   [this](const AnswerPart& it) { answers_.push_back(it); },
               },
               part);
  }
}

std::size_t DirectoryState::metadata_index(Key key) const {
  SHARDCHECK_ASSERT(!metadata_.empty());
  std::size_t index = 0;
  while (index + 1 < metadata_.size() && metadata_[index + 1].keys.lo <= key) {
    ++index;
  }
  return index;
}

const ShardRecord* DirectoryState::find(Key key) const {
  const auto found = std::ranges::find_if(records_, [&](const ShardRecord& it) { return it.range.contains(key); });
  return found == records_.end() ? nullptr : &*found;
}

// Where a range begins, so that no record belongs to two. Whoever looks up by the table before it is told so.
DirectoryState::Outcome DirectoryState::split_metadata(const Command& command, DirectoryPosition position) {
  const ShardRecord* first = find(command.at);
  if (first == nullptr || first->range.lo != command.at || metadata_.size() >= kMetadataShardsMax) {
    return {};
  }
  const std::size_t index = metadata_index(command.at);
  MetadataShard& left = metadata_[index];
  if (command.at == left.keys.lo) {
    return {};
  }
  MetadataShard right = left;
  right.id = MetadataShardId{static_cast<std::uint16_t>(metadata_.size())};
  right.keys.lo = left.keys.hi = command.at;
  right.since = left.since = top_version_ = position;
  metadata_.insert(metadata_.begin() + static_cast<std::ptrdiff_t>(index) + 1, right);
  Outcome split;
  split.is_accepted = split.is_metadata_split = true;
  return split;
}

// Metadata shards number no grants of their own: all of them share the positions of one log.
Epoch DirectoryState::epoch_of_grant(const ShardRecord& record, DirectoryPosition position) {
  return decisions_.epoch_of_grant(position, ++metadata_[metadata_index(record.range.lo)].grants);
}

std::optional<shardcheck::Outcome> DirectoryState::use_setting(const Command& command) {
  const auto of_client = [&](const AnswerPart& it) { return it.request.client == command.request.client; };
  auto answer = std::ranges::find_if(answers_, of_client);
  if (answer == answers_.end()) {
    answer = answers_.insert(answer, AnswerPart{{command.request.client, 0}, {}});
  }
  if (command.request.sequence <= answer->request.sequence) {
    const bool is_repeated = command.request == answer->request;
    return is_repeated ? std::optional(answer->outcome) : std::nullopt;
  }
  auto setting = std::ranges::find(settings_, command.at, &SettingPart::key);
  if (setting == settings_.end()) {
    setting = settings_.insert(setting, SettingPart{command.at, absent()});
  }
  const auto value_of = [](std::int32_t it) { return it == kNoNumber ? absent() : number(it); };
  const auto step = KeyModel<InlineValues>::apply({}, command.operation, setting->value, value_of(command.number),
                                                  value_of(command.expected));
  setting->value = step.after;
  *answer = {command.request, {step.outcome, step.answer}};
  return answer->outcome;
}

}  // namespace shardcheck::impl
