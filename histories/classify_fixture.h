// For tests of what is counted: the classes of a history of one key, told as a story (story_fixture.h).
#pragma once

#include <string>
#include <vector>

#include "histories/classify.h"
#include "histories/key_history.h"
#include "histories/story_fixture.h"

namespace shardcheck::histories {

inline KeyHistory key_of(const History& history) {
  Partition partition;
  partition.cut(history);
  KeyHistory whole;
  partition.key_history(0, whole);
  return whole;
}

inline Classification classes_of(const std::vector<std::string>& lines) {
  const History history = story(lines);
  return classify(history, key_of(history));
}

}  // namespace shardcheck::histories
