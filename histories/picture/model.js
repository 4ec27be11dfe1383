// The data of the page as objects. A text from the history is data: it is only ever shown as text (textContent), and
// what would be invisible or turn the direction of writing is shown by its number.
const data = JSON.parse(document.getElementById("data").textContent);

function visible(text) {
  return String(text).replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

const keyNames = data.key_names.map(visible);
const processNames = data.process_names.map(visible);
const ROLES = [
  "part of a contradiction", "near a contradiction, on its key", "near a contradiction, on another key",
  "one of those picked evenly",
];
const ROLE_CONTRADICTION = 0;

function valueText(value) {
  return value === null ? "nothing" : visible(value);
}

// What an operation asked and was told, as short as a bar needs it.
function labelOf(op) {
  const mark = op.outcome === "unknown" ? " ?" : "";
  switch (op.kind) {
    case "read": return op.outcome === "ok" ? `read ${valueText(op.observed)}` : "read" + mark;
    case "incr": return (op.outcome === "ok" && op.observed !== null ? `incr to ${valueText(op.observed)}` : "incr") + mark;
    case "cas": return `cas ${valueText(op.expected)} to ${valueText(op.argument)}${mark}`;
    case "del": return "del" + mark;
    default: return `${op.kind} ${valueText(op.argument)}${mark}`;
  }
}

// One row of data.operations: [process, key, kind, outcome, role, invoked, returned or -1, the line of each, argument,
// expected, observed].
function operationOf(row, number) {
  const [process, key, kind, outcome, role, invoked, returned, invokeLine, returnLine, argument, expected, observed] = row;
  const op = {number, process, key, kind, outcome, role, invoked, invokeLine, returnLine, argument, expected, observed};
  op.hasReturned = returned >= 0;
  op.end = op.hasReturned ? returned : invoked;
  op.badge = 0;  // its number within a contradiction, from 1
  op.label = labelOf(op);
  return op;
}

const operations = data.operations.map(operationOf);
const byTime = operations.slice().sort((a, b) => a.invoked - b.invoked || a.invokeLine - b.invokeLine);

// {key, sentence, line, operations, within, size}
const findings = data.findings.map((finding) => {
  const members = finding.operations.map((number) => operations[number]);
  members.forEach((op, i) => { op.badge = i + 1; });
  return {...finding, members};
});

// [from, until or -1, what, text, line, text and line of its end]
const bands = data.bands.map(([from, until, what, text, line, endText, endLine]) => ({
  from, until: until < 0 ? data.span : until, isOpen: until < 0, isMoment: until === from,
  what: visible(what), text: visible(text), line, endText: visible(endText), endLine,
})).sort((a, b) => a.from - b.from);

// Processes in the order of lanes: those of contradictions first, then by name as a person would sort.
const collator = new Intl.Collator("en", {numeric: true});
const badProcesses = new Set(findings.flatMap((finding) => finding.members.map((op) => op.process)));
const laneOrder = processNames.map((_, i) => i).sort((a, b) =>
  (badProcesses.has(b) - badProcesses.has(a)) || collator.compare(processNames[a], processNames[b]) || a - b);
const laneRank = [];
laneOrder.forEach((process, rank) => { laneRank[process] = rank; });

const UNITS = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];

// A time or a length of time, to about the precision given.
function timeText(time, precision) {
  if (!data.has_times) {
    return Math.round(time).toLocaleString("en");
  }
  const size = Math.max(Math.abs(time), precision);
  const [unit, scale] = UNITS.find(([, s]) => size >= s) || UNITS[3];
  const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10(scale / Math.max(precision, 1)) - 1e-9)));
  return `${(time / scale).toLocaleString("en", {minimumFractionDigits: 0, maximumFractionDigits: digits})} ${unit}`;
}

// Without times a moment is its line.
function momentText(time, line) {
  return data.has_times ? `${timeText(time, 1)} after the beginning, line ${line}` : `line ${line}`;
}

function durationText(length) {
  return data.has_times ? timeText(length, Math.max(1, length / 1000)) : plural(length, "line");
}

function plural(count, one, many) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many || one + "s"}`;
}

// From time to a place on the axis and back. Evenly spaced, each moment at which something drawn begins or ends is one
// step from the next, so that operations far apart in time can be seen beside one another.
class Axis {
  constructor(shown, isEven) {
    this.isEven = isEven;
    if (isEven) {
      const times = new Set([0, data.span]);
      shown.forEach((op) => { times.add(op.invoked); times.add(op.end); });
      this.times = [...times].sort((a, b) => a - b);
    }
    this.length = isEven ? Math.max(1, this.times.length - 1) : Math.max(1, data.span);
  }

  placeOf(time) {
    if (!this.isEven) return time;
    const times = this.times;
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time) low = middle; else high = middle - 1;
    }
    const gap = low + 1 < times.length ? times[low + 1] - times[low] : 0;
    return low + (gap > 0 ? Math.min(1, (time - times[low]) / gap) : 0);
  }

  timeOf(place) {
    if (!this.isEven) return place;
    const last = this.times.length - 1;
    const low = Math.min(last, Math.max(0, Math.floor(place)));
    const next = Math.min(last, low + 1);
    return this.times[low] + (this.times[next] - this.times[low]) * Math.min(1, Math.max(0, place - low));
  }
}
