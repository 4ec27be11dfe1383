#include "harness/step_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/directory_system.h"
#include "harness/exact_time.h"
#include "harness/value_words.h"
#include "sim/disk.h"
#include "spec/key_set.h"

namespace shardcheck::harness {

NodeId read_process(const MakeUp& make_up, Words& words, std::string_view what) {
  return NodeId{static_cast<std::uint16_t>(words.whole_number(what, 0, make_up.processes - 1))};
}

void check_clock_offset(const Scenario& scenario, Duration offset, Words& words) {
  const Duration most = scenario.cluster.clock_offset_max;
  if (!scenario.system && (offset > most || offset < Duration{} - most)) {
    words.refuse(fmt::format("a clock is at most {} ahead of true time or behind it: the reference promises no more",
                             exact_milliseconds(most.value)));
  }
}

void read_what_a_crash_leaves(Words& words, bool has_bytes, sim::Deviation& deviation) {
  words.take("kept");
  deviation.kept_unsynced = static_cast<std::uint8_t>(words.whole_number("kept", 0, 255));
  if (words.take_if("torn")) {
    deviation.torn = static_cast<std::uint8_t>(words.whole_number("torn", 1, sim::kTornWhole));
    if (!has_bytes) {
      words.refuse("the reference's records are no bytes: one that is torn is one that is not kept");
    }
  }
}

decltype(Step::what) StepParser::what(Words& words) {
  const std::string_view kind =
      words.word("'client', 'move', 'split', 'merge', 'split_metadata', 'join', 'leave' or 'fault'");
  if (scenario_.is_of_directory_alone && kind != "client" && kind != "fault") {
    words.refuse(fmt::format("a directory alone has no ranges to {}", kind.substr(0, 40)));
    return {};
  }
  if (kind == "client") {
    return client(words);
  }
  if (kind == "move") {
    return move(words);
  }
  if (kind == "split") {
    return split(words);
  }
  if (kind == "merge") {
    words.take("range");
    return MergeStep{range(words)};
  }
  if (kind == "split_metadata") {
    return split_metadata(words);
  }
  if (kind == "join") {
    return JoinStep{storage_node(words)};
  }
  if (kind == "leave") {
    return leave(words);
  }
  if (kind == "fault") {
    return fault(words);
  }
  words.refuse(fmt::format("'{}' is no kind of step", kind.substr(0, 40)));
  return {};
}

ClientStep StepParser::client(Words& words) {
  ClientStep step;
  step.request.client = ClientId{static_cast<std::uint16_t>(words.whole_number("the client", 0, make_up_.clients - 1))};
  words.take("request");
  step.request.sequence = static_cast<std::uint32_t>(words.whole_number("the request", 1, 1'000'000'000));
  std::uint32_t& last = last_sequence_[step.request.client.value];
  if (step.request.sequence <= last) {
    words.refuse("the requests of one client must have growing numbers");
  }
  last = step.request.sequence;
  Operation& operation = step.operation;
  operation.kind = words.named<OperationKind>("operation", kOperationKinds);
  operation.key = Key{static_cast<std::uint32_t>(
      words.whole_number("the key", make_up_.keys.lo.value, make_up_.keys.hi.value - std::int64_t{1}))};
  if (scenario_.is_of_directory_alone && !is_asked_of_settings(operation.kind)) {
    words.refuse(fmt::format("settings of the directory know no {}", name_of(operation.kind)));
  }
  if (operation.kind == OperationKind::scan) {
    const std::int64_t most = std::min<std::int64_t>(make_up_.keys.hi.value, operation.key.value + kScanWidthMax);
    operation.argument = number(words.whole_number("the end of the scan", operation.key.value + std::int64_t{1}, most));
    if (scenario_.system) {
      words.refuse("only the reference is asked for scans");
    }
  }
  if (operation.kind == OperationKind::compare_and_set) {
    operation.expected = value_of(words);
  }
  if (operation.kind == OperationKind::write || operation.kind == OperationKind::append ||
      operation.kind == OperationKind::compare_and_set) {
    operation.argument = value_of(words);
  }
  if (operation.kind == OperationKind::append && operation.argument.list_length != 1) {
    words.refuse("what is appended must be a list of one, such as [7]");
  }
  return step;
}

ShardId StepParser::range(Words& words) const {
  if (make_up_.shards == 0) {
    words.refuse("this system has no ranges");
    return {};
  }
  return ShardId{static_cast<std::uint16_t>(words.whole_number("the range", 0, make_up_.shards - 1))};
}

SplitStep StepParser::split(Words& words) const {
  SplitStep step;
  words.take("range");
  step.shard = range(words);
  words.take("at");
  step.at = Key{static_cast<std::uint32_t>(
      words.whole_number("the key", make_up_.keys.lo.value, make_up_.keys.hi.value - std::int64_t{1}))};
  return step;
}

MetadataSplitStep StepParser::split_metadata(Words& words) const {
  if (scenario_.system) {
    words.refuse("only the reference has metadata shards");
  }
  return {Key{static_cast<std::uint32_t>(
      words.whole_number("the key", make_up_.keys.lo.value, make_up_.keys.hi.value - std::int64_t{1}))}};
}

MoveStep StepParser::move(Words& words) const {
  MoveStep step;
  words.take("range");
  step.shard = range(words);
  words.take("to");
  words.take_if("node");
  step.target = read_process(make_up_, words, "the target");
  if (!scenario_.system && !impl::Roles(scenario_.cluster).is_storage(step.target)) {
    words.refuse("a range can only move to a storage node");
  }
  step.how = move_options(words);
  return step;
}

// Any of "mode M" and "forwarding", in this order.
MoveOptions StepParser::move_options(Words& words) {
  MoveOptions how;
  while (!words.is_empty() && !how.forwards) {
    const std::string_view word = words.word("'mode' or 'forwarding'");
    how.forwards = word == "forwarding";
    if (word == "mode") {
      how.mode = words.named<MoveMode>("mode of a move", kMoveModes);
    } else if (!how.forwards) {
      words.refuse(fmt::format("'{}' is neither 'mode' nor 'forwarding'", word.substr(0, 40)));
    }
  }
  return how;
}

LeaveStep StepParser::leave(Words& words) const {
  LeaveStep step{storage_node(words)};
  if (!words.is_empty()) {
    words.take("at_once");
    step.is_at_once = true;
  }
  return step;
}

NodeId StepParser::storage_node(Words& words) const {
  words.take_if("node");
  const NodeId node = read_process(make_up_, words, "the node");
  if (scenario_.system || !impl::Roles(scenario_.cluster).is_storage(node)) {
    words.refuse("only storage nodes of the reference join and leave");
  }
  return node;
}

FaultStep StepParser::fault(Words& words) const {
  FaultStep step;
  step.kind = words.named<FaultKind>("fault", kFaultKinds);
  step.process = read_process(make_up_, words, "the process");
  if (step.kind == FaultKind::link_cut) {
    step.peer = read_process(make_up_, words, "the other end of the link");
  } else if (step.kind == FaultKind::lost_for_good) {
    return step;
  } else if (step.kind != FaultKind::crashed && step.kind != FaultKind::disk_lost && step.kind != FaultKind::paused) {
    words.refuse(
        "as a step, a fault can be crash, lose_disk, pause, cut or lose_for_good; the others happen to messages");
  }
  words.take("for");
  step.duration = words.time("how long");
  if (step.duration < Duration{}) {
    words.refuse("how long cannot be negative");
  }
  return step;
}

}  // namespace shardcheck::harness
