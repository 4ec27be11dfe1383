// What moves the window: buttons, filters, wheel, drag, fingers, keys. Runs last, and starts the page.

// The window in which times from `from` to `to` are seen with something round them.
function fitTimes(from, to, share) {
  const a = state.axis.placeOf(from);
  const b = state.axis.placeOf(to);
  const room = Math.max((b - a) * share, state.axis.isEven ? 2 : 1);
  setView(a - room, b + room);
}

// A contradiction with what is near it on its key, a dozen operations at least, as long as that does not make the
// contradiction itself too small to be seen.
function showFinding(finding) {
  state.key = finding.key;
  state.process = ALL;
  updateFilters();
  const from = Math.min(...finding.members.map((op) => op.invoked));
  const to = Math.max(...finding.members.map((op) => op.end));
  const onKey = byTime.filter((op) => op.key === finding.key);
  let room = Math.max(1, (to - from) * 0.15);
  for (let i = 0; i < 6; ++i) {
    const near = onKey.filter((op) => op.end >= from - room && op.invoked <= to + room);
    if (near.length >= Math.min(12, onKey.length)) break;
    room *= 2;
  }
  setView(state.axis.placeOf(Math.max(0, from - room)), state.axis.placeOf(Math.min(data.span, to + room)));
  pin(null);
  pin({op: finding.members[finding.members.length - 1]});
}

// Brings an operation into view, keeping the size of the window if it can be seen in it.
function goTo(op) {
  if (!isWanted(op)) {
    state.key = op.key;
    state.process = ALL;
    updateFilters();
  }
  const a = state.axis.placeOf(op.invoked);
  const b = state.axis.placeOf(op.end);
  if (b - a < (state.to - state.from) / 300) {
    fitTimes(op.invoked, op.end, 15);
  } else if (a < state.from || b > state.to) {
    const half = Math.max(state.to - state.from, (b - a) * 1.2) / 2;
    setView((a + b) / 2 - half, (a + b) / 2 + half);
  }
  draw();
  pin(null);
  pin({op});
  reveal(op);
}

// Scrolls the frame, not the page.
function reveal(op) {
  const lane = chart.barOf.get(op).rect.getAttribute("y") - LANE_HEIGHT;
  const frame = $("frame");
  if (lane < frame.scrollTop) frame.scrollTop = Math.max(0, lane);
  if (lane + 3 * LANE_HEIGHT > frame.scrollTop + frame.clientHeight) {
    frame.scrollTop = lane + 3 * LANE_HEIGHT - frame.clientHeight;
  }
}

function focusOn(op) {
  const a = state.axis.placeOf(op.invoked);
  const b = state.axis.placeOf(op.end);
  if (b < state.from || a > state.to) {
    const half = (state.to - state.from) / 2;
    setView((a + b) / 2 - half, (a + b) / 2 + half);
    draw();
  }
  const {group} = chart.barOf.get(op);
  setTabStop(group);
  group.focus({preventScroll: true});
  reveal(op);
}

function updateFilters() {
  $("key-filter").value = state.key;
  $("process-filter").value = state.process;
  rebuildAxis();
}

// Filters change what is evenly spaced; the window stays at its times.
function rebuildAxis() {
  const from = state.axis ? state.axis.timeOf(state.from) : 0;
  const to = state.axis ? state.axis.timeOf(state.to) : data.span;
  state.axis = new Axis(operations.filter(isWanted), $("even").checked);
  setView(state.axis.placeOf(from), state.axis.placeOf(to));
}

function connectControls() {
  $("key-filter").addEventListener("change", (event) => {
    state.key = Number(event.target.value);
    updateFilters();
  });
  $("process-filter").addEventListener("change", (event) => {
    state.process = Number(event.target.value);
    updateFilters();
  });
  $("even").addEventListener("change", rebuildAxis);
  $("to-contradiction").hidden = findings.length === 0;
  const clicks = {
    "to-contradiction": () => showFinding(findings.find((finding) => finding.key === state.key) || findings[0]),
    "to-whole": showWhole, "zoom-in": () => zoom(0.5), "zoom-out": () => zoom(2),
    "pan-left": () => pan(-0.4), "pan-right": () => pan(0.4),
  };
  for (const [id, action] of Object.entries(clicks)) $(id).addEventListener("click", action);
}

// Fingers and mouse: one drags, two zoom. A drag ends without a click.
function connectPointers(element) {
  const pointers = new Map();
  let start = null;
  let hasMoved = false;
  const begin = () => {
    const xs = [...pointers.values()];
    start = {xs, from: state.from, to: state.to};
  };
  const xOf = (event) => event.clientX - element.getBoundingClientRect().left;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, xOf(event));
    hasMoved = hasMoved && pointers.size > 1;
    begin();
  });
  window.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    pointers.set(event.pointerId, xOf(event));
    const xs = [...pointers.values()];
    if (!hasMoved && Math.abs(xs[0] - start.xs[0]) < 4 && xs.length === 1) return;
    hasMoved = true;
    element.classList.add("dragging");
    const scale = (start.to - start.from) / (chart.width - chart.left);
    const placeAt = (x) => start.from + (x - chart.left) * scale;
    if (xs.length === 1) {
      const shift = (start.xs[0] - xs[0]) * scale;
      setView(start.from + shift, start.to + shift);
    } else {
      const factor = Math.max(10, Math.abs(start.xs[0] - start.xs[1])) / Math.max(10, Math.abs(xs[0] - xs[1]));
      const place = placeAt((start.xs[0] + start.xs[1]) / 2);
      const shift = ((start.xs[0] + start.xs[1]) - (xs[0] + xs[1])) / 2 * scale * factor;
      setView(place - (place - start.from) * factor + shift, place + (start.to - place) * factor + shift);
    }
  });
  const end = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    element.classList.remove("dragging");
    begin();
  };
  window.addEventListener("pointerup", end);
  window.addEventListener("pointercancel", end);
  element.addEventListener("click", (event) => {
    if (hasMoved) event.stopPropagation();
    hasMoved = false;
  }, true);
}

function connectWheel(element) {
  element.addEventListener("wheel", (event) => {
    const x = event.clientX - element.getBoundingClientRect().left;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(Math.exp(Math.min(1, Math.max(-1, event.deltaY / 200))), chart.placeAt(Math.max(chart.left, x)));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      pan((event.deltaX || event.deltaY) / 1000);
    }
  }, {passive: false});
}

function connectKeys(element) {
  const arrows = {ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down"};
  const actions = {"+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: showWhole};
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const thing = state.focused;
    if (arrows[event.key] && thing && thing.op) {
      const next = chart.neighbourOf(thing.op, arrows[event.key]);
      if (next) focusOn(next);
    } else if ((event.key === "Enter" || event.key === " ") && thing) {
      pin(thing);
    } else if (actions[event.key]) {
      actions[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") pin(null);
  });
}

const chart = new Chart($("chart"), {
  hover: (thing) => showDetails(thing || state.focused || state.pinned),
  focus: (thing) => {
    state.focused = thing;
    showDetails(thing || state.pinned);
  },
  pin,
  process: (process) => {
    state.process = state.process === process ? ALL : process;
    updateFilters();
  },
});
const overview = new Overview($("strip"), {
  center: (time) => {
    const half = (state.to - state.from) / 2;
    const place = state.axis.placeOf(time);
    setView(place - half, place + half);
  },
});

function start() {
  fillHeader();
  fillFindings();
  fillKeys();
  fillLegend();
  fillFilters();
  data.left_out.forEach((text) => make("li", text, $("left-out")));
  $("left-out-section").hidden = data.left_out.length === 0;
  $("strip-caption").textContent = "The whole history: all operations (grey)"
    + (data.verdict === "linearizable" ? "" : ", those on keys that are violated or undecided (blue)")
    + ", those refused or of unknown outcome (red)"
    + (findings.length > 0 ? ", the contradictions (red lines)" : "") + ". Click or drag to move the window.";
  connectControls();
  connectPointers($("chart"));
  connectWheel($("chart"));
  connectKeys($("chart"));
  $("chart").addEventListener("focusout", () => { state.focused = null; });
  new ResizeObserver(drawSoon).observe($("frame"));
  rebuildAxis();
  showDetails(null);
  if (findings.length > 0) {
    showFinding(findings[0]);
  } else {
    showWhole();
  }
  draw();
}

start();
