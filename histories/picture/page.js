// The page: fills in the words, keeps what is chosen and filtered, and draws the window (controls.js moves it).
const $ = (id) => document.getElementById(id);
const ALL = -1;
const OF_CONTRADICTIONS = -2;
const state = {key: ALL, process: ALL, from: 0, to: 1, axis: null, pinned: null, focused: null};
const SELECT_MAX = 1000;
const FINDINGS_OPEN = 5;

function make(name, text, parent, className) {
  const element = document.createElement(name);
  if (text !== undefined && text !== null) element.textContent = text;
  if (className) element.className = className;
  if (parent) parent.append(element);
  return element;
}

// The parts of the page that are words.

const VERDICTS = {linearizable: "linearizable", not_linearizable: "not linearizable", undecided: "undecided"};

function fillHeader() {
  const {counts} = data;
  $("title").textContent = visible(data.title);
  document.title = `${visible(data.title)}: ${VERDICTS[data.verdict]}`;
  $("verdict").textContent = VERDICTS[data.verdict];
  $("verdict").className = data.verdict;
  const keys = [[counts.violated, "violated"], [counts.undecided, "undecided"]]
    .filter(([count]) => count > 0).map(([count, word]) => `${count.toLocaleString("en")} ${word}`);
  $("counts").textContent = `${plural(counts.operations, "operation")} (${counts.ok.toLocaleString("en")} ok, `
    + `${counts.refused.toLocaleString("en")} refused, ${counts.unknown.toLocaleString("en")} of unknown outcome) by `
    + `${plural(counts.processes, "process", "processes")} on ${plural(counts.keys, "key")}`
    + `${keys.length ? ` (${keys.join(", ")})` : ""}, over ${durationText(data.span)}`
    + `${counts.nemesis ? `, with ${plural(counts.nemesis, "line")} on faults and moves` : ""}`;
}

function fillFinding(finding, parent) {
  const box = make("div", null, parent, "finding");
  const sentence = make("p", null, box);
  make("strong", "key ", sentence);
  make("strong", keyNames[finding.key], sentence, "name");
  sentence.append(": ");
  make("span", visible(finding.sentence), sentence, "text");
  const row = data.verdicts.find(([key]) => key === finding.key);
  (row ? row[4] : []).forEach((remark) => make("p", visible(remark), box));
  const list = make("ol", null, box);
  for (const op of finding.members) {
    const button = make("button", `(${op.badge}) process ${processNames[op.process]}: ${op.label} `
      + `(${op.hasReturned ? `lines ${op.invokeLine} to ${op.returnLine}` : `line ${op.invokeLine}, never returned`})`,
      make("li", null, list), "link");
    button.type = "button";
    button.addEventListener("click", () => goTo(op));
  }
  if (finding.members.length < finding.size) make("p", `${finding.size - finding.members.length} more are not drawn.`, box, "caption");
  if (finding.within === 0) make("p", "Only a part of what happened on this key at that time is drawn.", box, "caption");
  if (finding.within > 0) {
    make("p", `Within ${durationText(finding.within)} of these operations everything on this key is drawn; farther away only a part.`,
      box, "caption");
  }
  const button = make("button", "Show", box);
  button.type = "button";
  button.setAttribute("aria-label", `Show the contradiction on key ${keyNames[finding.key]}`);
  button.addEventListener("click", () => showFinding(finding));
}

function fillFindings() {
  const parent = $("findings");
  const more = findings.length > FINDINGS_OPEN ? make("details") : null;
  findings.forEach((finding, i) => fillFinding(finding, i < FINDINGS_OPEN ? parent : more));
  if (more) {
    more.prepend(make("summary", `${findings.length - FINDINGS_OPEN} more`));
    parent.append(more);
  }
  const explained = new Set(findings.map((finding) => finding.key));
  for (const [key, verdict, , , remarks] of data.verdicts) {
    if (verdict === "linearizable" || explained.has(key) || parent.children.length >= 60) continue;
    const box = make("div", null, parent, verdict === "undecided" ? "finding undecided-key" : "finding");
    const sentence = make("p", null, box);
    make("strong", "key ", sentence);
    make("strong", keyNames[key], sentence, "name");
    sentence.append(verdict === "undecided" ? ": undecided, which is not to be counted as passed."
      : ": not linearizable; which answers contradict was not found out within the budget.");
    remarks.forEach((remark) => make("p", visible(remark), box));
  }
  if (parent.children.length === 0) {
    $("findings-heading").textContent = "Nothing contradicts";
    make("p", "There is an order of effects that explains every answer.", parent);
  } else if (findings.length === 0 && data.verdict === "undecided") {
    $("findings-heading").textContent = "What is undecided";
  }
}

function fillKeys() {
  for (const [key, verdict, count, method, remarks] of data.verdicts) {
    const row = make("tr", null, $("key-rows"));
    make("td", keyNames[key], row, "name");
    make("td", [VERDICTS[verdict], ...remarks.map(visible)].join("; "), row, verdict);
    make("td", count.toLocaleString("en"), row);
    make("td", method, row);
  }
}

function fillLegend() {
  const rows = [["read", "read"], ["change", "what changes the key"], ["bad", "part of a contradiction, numbered by time"],
    ["unknown", "unknown outcome (?): it may take effect at any later time, or never"],
    ["refused", "refused: it did not happen"], ["band", "faults and moves"]];
  for (const [name, text] of rows) {
    if ((name === "band" && bands.length === 0) || (name === "bad" && findings.length === 0)) continue;
    const row = make("li", null, $("legend"));
    make("span", null, row, `swatch ${name}`).setAttribute("aria-hidden", "true");
    row.append(text);
  }
}

function fillFilters() {
  const option = (select, value, text) => { make("option", text, select).value = value; };
  option($("key-filter"), ALL, "all keys");
  if (findings.length > 0) option($("key-filter"), OF_CONTRADICTIONS, "contradictions alone");
  const bad = new Set(findings.map((finding) => finding.key));
  const used = [...new Set(operations.map((op) => op.key))]
    .sort((a, b) => (bad.has(b) - bad.has(a)) || collator.compare(keyNames[a], keyNames[b]));
  used.slice(0, SELECT_MAX).forEach((key) => option($("key-filter"), key, keyNames[key] + (bad.has(key) ? " (violated)" : "")));
  option($("process-filter"), ALL, "all processes");
  if (badProcesses.size > 0) option($("process-filter"), OF_CONTRADICTIONS, "those of contradictions");
  laneOrder.slice(0, SELECT_MAX).forEach((process) => option($("process-filter"), process, processNames[process]));
  for (const [id, count] of [["key-filter", used.length], ["process-filter", laneOrder.length]]) {
    if (count > SELECT_MAX) option($(id), ALL, `(${count - SELECT_MAX} more are not listed)`);
  }
}

// The details of one thing.

function detailRows(thing) {
  if (thing.band) {
    const {band} = thing;
    const end = band.isOpen ? "nothing in the history ends it" : `${momentText(band.until, band.endLine)}, lasting ${durationText(band.until - band.from)}`;
    return [["begins", momentText(band.from, band.line)], ...(band.isMoment ? [] : [["ends", end]]), [`line ${band.line}`, band.text],
      ...(band.endLine ? [[`line ${band.endLine}`, band.endText]] : [])];
  }
  const {op} = thing;
  const answer = {
    ok: "ok", refused: "refused: it did not happen and never will",
    unknown: "unknown: it may take effect at any later time, or never",
  }[op.outcome];
  const rows = [["key", keyNames[op.key]], ["process", processNames[op.process]], ["asked", momentText(op.invoked, op.invokeLine)]];
  rows.push(op.hasReturned
    ? ["answered", `${answer}; after ${durationText(op.end - op.invoked)}, line ${op.returnLine}`]
    : ["answered", `never; ${answer}`]);
  if (op.kind === "cas") rows.push(["if it was", valueText(op.expected)], ["then set", valueText(op.argument)]);
  if (op.kind === "write" || op.kind === "append") rows.push(["value", valueText(op.argument)]);
  if ((op.kind === "read" || op.kind === "incr") && op.outcome === "ok") rows.push(["was told", valueText(op.observed)]);
  rows.push(["drawn as", ROLES[op.role] + (op.badge ? ` (${op.badge})` : "")]);
  return rows;
}

const FROM_HISTORY = new Set(["key", "process", "value", "was told", "if it was", "then set"]);

function showDetails(thing) {
  const panel = $("details");
  panel.replaceChildren();
  if (!thing) {
    make("p", "Point at an operation, a band or click one to keep its details here.", panel, "caption");
    return;
  }
  make("h3", thing.band ? thing.band.what : thing.op.label, panel, "name");
  const list = make("dl", null, panel);
  for (const [name, text] of detailRows(thing)) {
    make("dt", name, list);
    make("dd", text, list, FROM_HISTORY.has(name) || name.startsWith("line") ? "name" : "");
  }
}

function groupOf(thing) {
  if (!thing) return null;
  return thing.op ? chart.barOf.get(thing.op).group : chart.bandParts.find((part) => part.band === thing.band).group;
}

function pin(thing) {
  const isSame = state.pinned && thing && state.pinned.op === thing.op && state.pinned.band === thing.band;
  const old = groupOf(state.pinned);
  if (old) {
    old.classList.remove("pinned");
    old.setAttribute("aria-pressed", "false");
  }
  state.pinned = isSame ? null : thing;
  const group = groupOf(state.pinned);
  if (group) {
    group.classList.add("pinned");
    group.setAttribute("aria-pressed", "true");
    setTabStop(group);
  }
  showDetails(state.pinned);
  drawSoon();
}

// One element of the chart can be reached with Tab; arrows go on from there.
function setTabStop(group) {
  if (state.tabStop) state.tabStop.setAttribute("tabindex", -1);
  state.tabStop = group;
  if (group) group.setAttribute("tabindex", 0);
}

// The window.

function isWanted(op) {
  const isOnKey = state.key === ALL || op.key === state.key
    || (state.key === OF_CONTRADICTIONS && op.role === ROLE_CONTRADICTION);
  const isByProcess = state.process === ALL || op.process === state.process
    || (state.process === OF_CONTRADICTIONS && badProcesses.has(op.process));
  return isOnKey && isByProcess;
}

let isDrawPending = false;
function drawSoon() {
  if (isDrawPending) return;
  isDrawPending = true;
  requestAnimationFrame(() => {
    isDrawPending = false;
    draw();
  });
}

function draw() {
  chart.isWanted = isWanted;
  const said = chart.draw(state, isWanted);
  overview.draw(said.from, said.to);
  const parts = [`Window of ${durationText(Math.round(said.to - said.from))}: ${said.inView.toLocaleString("en")} of `
    + `${plural(said.wanted, "drawn operation")}${state.key < 0 ? "" : ` on key ${keyNames[state.key]}`}`
    + `${state.process < 0 ? "" : ` by process ${processNames[state.process]}`} in view`];
  if (said.lanes > said.lanesDrawn) parts.push(`the first ${said.lanesDrawn} of ${said.lanes} processes have lanes: zoom in or filter to see others`);
  $("shown").textContent = `${parts.join("; ")}.`;
  if (!state.tabStop || !state.tabStop.isConnected || state.tabStop.style.display === "none") {
    const first = chart.bars.find((bar) => bar.isShown);
    if (first && document.activeElement !== state.tabStop) setTabStop(first.group);
  }
}

// Keeps the window within the history, and not smaller than can be told apart.
function setView(from, to) {
  const length = state.axis.length;
  const margin = length * 0.02;
  const size = Math.min(length + 2 * margin, Math.max(to - from, state.axis.isEven ? 2 : Math.min(10, length)));
  const start = Math.min(length + margin - size, Math.max(-margin, (from + to) / 2 - size / 2));
  state.from = start;
  state.to = start + size;
  drawSoon();
}

function zoom(factor, place = (state.from + state.to) / 2) {
  setView(place - (place - state.from) * factor, place + (state.to - place) * factor);
}

function pan(share) {
  const shift = (state.to - state.from) * share;
  setView(state.from + shift, state.to + shift);
}

function showWhole() {
  setView(-0.02 * state.axis.length, 1.02 * state.axis.length);
}
