// The lanes: an SVG whose elements are made once and moved when the view changes.
const LANE_HEIGHT = 28;
const BAR_HEIGHT = 20;
const AXIS_HEIGHT = 22;
const BAND_ROW_HEIGHT = 18;
const BAND_ROWS_MAX = 4;
const LANES_MAX = 120;
const CHARACTER_WIDTH = 7;

function svg(name, attributes, parent) {
  const element = document.createElementNS(document.getElementById("chart").namespaceURI, name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  if (parent) parent.append(element);
  return element;
}

function cut(text, characters) {
  if (text.length <= characters) return text;
  return characters < 2 ? "" : text.slice(0, characters - 1) + "\u2026";
}

function show(element, isShown) {
  element.style.display = isShown ? "" : "none";
}

class Chart {
  // `on` has hover(thing or null), focus(thing), pin(thing), process(number): a thing is {op} or {band}.
  constructor(element, on) {
    this.element = element;
    this.on = on;
    this.lanes = svg("g", {}, element);
    this.axis = svg("g", {class: "axis"}, element);
    const clip = svg("clipPath", {id: "plot"}, svg("defs", {}, element));
    this.clip = svg("rect", {}, clip);
    this.plot = svg("g", {"clip-path": "url(#plot)"}, element);
    this.bandParts = bands.map((band) => this.makeBand(band));
    this.guides = [0, 1].map(() => svg("line", {class: "guide"}, this.plot));
    this.bars = byTime.map((op) => this.makeBar(op));
    this.labels = svg("g", {}, element);
    this.barOf = new Map(this.bars.map((bar) => [bar.op, bar]));
    this.isWanted = () => true;
  }

  // What pointing at and choosing a thing does. `data-id` is for finding it again.
  connect(group, thing) {
    group.addEventListener("pointerenter", () => this.on.hover(thing));
    group.addEventListener("pointerleave", () => this.on.hover(null));
    group.addEventListener("focus", () => this.on.focus(thing));
    group.addEventListener("click", () => this.on.pin(thing));
  }

  makeBand(band) {
    const group = svg("g", {class: "band", tabindex: -1, role: "button"}, this.plot);
    group.setAttribute("aria-label", band.isMoment ? band.what : `${band.what}, lasting`);
    const part = {
      band, group, area: svg("rect", {class: "area"}, group), edge: svg("line", {class: "edge"}, group),
      bar: svg("rect", {class: "bar", rx: 2, height: BAND_ROW_HEIGHT - 4}, group), text: svg("text", {}, group),
    };
    this.connect(group, {band});
    return part;
  }

  makeBar(op) {
    const classes = ["op", op.outcome, op.kind === "read" ? "read" : "change"];
    if (op.role === ROLE_CONTRADICTION) classes.push("bad");
    if (op.role > 1) classes.push("other");
    const group = svg("g", {class: classes.join(" "), tabindex: -1, role: "button", "data-id": op.number}, this.plot);
    group.setAttribute("aria-label", `process ${processNames[op.process]}, key ${keyNames[op.key]}: ${op.label}`
      + (op.role === ROLE_CONTRADICTION ? ", part of a contradiction" : ""));
    const bar = {
      op, group, tail: op.outcome === "unknown" ? svg("line", {class: "tail"}, group) : null,
      rect: svg("rect", {rx: 2, height: BAR_HEIGHT}, group), text: svg("text", {}, group), isShown: false,
    };
    this.connect(group, {op});
    return bar;
  }

  // The numbers of the lanes' processes that have something to show now.
  lanesOf(shown) {
    const processes = [...new Set(shown.map((bar) => bar.op.process))].sort((a, b) => laneRank[a] - laneRank[b]);
    return {all: processes.length, drawn: processes.slice(0, LANES_MAX)};
  }

  isInView(op, from, to) {
    const isOpen = op.outcome === "unknown" && op.role === ROLE_CONTRADICTION;
    return op.invoked <= to && (op.end >= from || isOpen);
  }

  // `view`: {axis, from, to} in places of the axis; returns what there is to say about it.
  draw(view, isWanted) {
    const width = Math.max(240, this.element.clientWidth || this.element.parentElement.clientWidth);
    this.left = width < 560 ? 74 : 130;
    this.width = width;
    this.view = view;
    const from = view.axis.timeOf(view.from);
    const to = view.axis.timeOf(view.to);
    const wanted = this.bars.filter((bar) => isWanted(bar.op));
    const inView = wanted.filter((bar) => this.isInView(bar.op, from, to));
    const lanes = this.lanesOf(inView);
    const rows = this.placeBands(from, to);
    this.top = AXIS_HEIGHT + rows * BAND_ROW_HEIGHT + 4;
    this.height = this.top + Math.max(1, lanes.drawn.length) * LANE_HEIGHT + 6;
    this.element.setAttribute("height", this.height);
    this.element.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    for (const [name, value] of [["x", this.left], ["y", 0], ["width", width - this.left], ["height", this.height]]) {
      this.clip.setAttribute(name, value);
    }
    this.drawBands();
    this.drawAxis();
    this.drawLanes(lanes.drawn);
    this.drawBars(inView, lanes.drawn);
    this.drawGuides(view.pinned ? view.pinned.op : null);
    return {inView: inView.length, wanted: wanted.length, lanes: lanes.all, lanesDrawn: lanes.drawn.length, from, to};
  }

  x(time) {
    const {axis, from, to} = this.view;
    const x = this.left + (axis.placeOf(time) - from) / (to - from) * (this.width - this.left);
    return Math.min(this.width + 50, Math.max(this.left - 50, x));
  }

  placeAt(x) {
    const {from, to} = this.view;
    return from + (x - this.left) / (this.width - this.left) * (to - from);
  }

  // Gives each band in view a row in which it overlaps none before, as far as there are rows.
  placeBands(from, to) {
    const ends = [];
    for (const part of this.bandParts) {
      const {band} = part;
      part.isShown = band.from <= to && band.until >= from;
      if (!part.isShown) continue;
      part.x1 = this.x(band.from);
      part.x2 = Math.max(part.x1 + 3, this.x(band.until));
      const end = Math.max(part.x2, part.x1 + 10) + 2;
      let row = ends.findIndex((x) => x <= part.x1);
      if (row < 0) row = ends.length < BAND_ROWS_MAX ? ends.length : ends.indexOf(Math.min(...ends));
      ends[row] = Math.max(ends[row] || 0, end);
      part.row = row;
    }
    return ends.length;
  }

  drawBands() {
    for (const part of this.bandParts) {
      show(part.group, part.isShown);
      if (!part.isShown) continue;
      const {x1, x2, row, band} = part;
      const y = AXIS_HEIGHT + row * BAND_ROW_HEIGHT;
      part.area.setAttribute("x", x1);
      part.area.setAttribute("y", this.top - 2);
      part.area.setAttribute("width", band.isMoment ? 0 : x2 - x1);
      part.area.setAttribute("height", this.height - this.top);
      for (const [name, value] of [["x1", x1], ["x2", x1], ["y1", y], ["y2", this.height]]) {
        part.edge.setAttribute(name, value);
      }
      part.bar.setAttribute("x", x1);
      part.bar.setAttribute("y", y);
      part.bar.setAttribute("width", Math.max(band.isMoment ? 6 : 3, x2 - x1));
      const start = Math.max(x1, this.left) + 4;
      part.text.setAttribute("x", start);
      part.text.setAttribute("y", y + BAND_ROW_HEIGHT - 7);
      part.text.textContent = cut(band.what, Math.floor((Math.min(x2, this.width) - start) / CHARACTER_WIDTH));
    }
  }

  drawAxis() {
    const ticks = this.ticks();
    this.axis.replaceChildren();
    for (const {x, text} of ticks) {
      svg("line", {class: "tick", x1: x, x2: x, y1: AXIS_HEIGHT - 4, y2: this.height}, this.axis);
      svg("text", {x: x + 3, y: AXIS_HEIGHT - 8}, this.axis).textContent = text;
    }
  }

  // Round times where the axis is that of time; where it is evenly spaced, the times at round places.
  ticks() {
    const {axis, from, to} = this.view;
    const count = Math.max(2, Math.floor((this.width - this.left) / 120));
    const rough = (to - from) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
    const ticks = [];
    for (let i = Math.ceil(from / step); i * step <= to && ticks.length < 60; ++i) {
      const time = axis.timeOf(i * step);
      const precision = axis.isEven ? Math.max(1, Math.abs(time) / 1e5) : step;
      const shift = data.has_times ? 0 : Number(data.begin);
      const x = this.x(time);
      if (x < this.width - 30) ticks.push({x, text: timeText(time + shift, precision)});
    }
    return ticks;
  }

  drawLanes(processes) {
    this.lanes.replaceChildren();
    this.labels.replaceChildren();
    svg("rect", {x: 0, y: AXIS_HEIGHT - 1, width: this.left, height: this.height, class: "gutter"}, this.labels);
    if (this.top > AXIS_HEIGHT + 4) {
      svg("text", {x: 4, y: AXIS_HEIGHT + BAND_ROW_HEIGHT - 7}, this.labels).textContent = cut("faults, moves", this.left / CHARACTER_WIDTH);
    }
    processes.forEach((process, i) => {
      const y = this.top + i * LANE_HEIGHT;
      if (i % 2 === 0) svg("rect", {class: "lane", x: 0, y, width: this.width, height: LANE_HEIGHT}, this.lanes);
      const isBad = badProcesses.has(process);
      const label = svg("g", {class: isBad ? "label bad" : "label"}, this.labels);
      const name = `process ${processNames[process]}`;
      svg("text", {x: 4, y: y + 18}, label).textContent =
        cut(this.left < 100 ? processNames[process] : name, Math.floor((this.left - 6) / CHARACTER_WIDTH));
      svg("title", {}, label).textContent = `${name}: click to see it alone, or all again`;
      label.addEventListener("click", () => this.on.process(process));
    });
  }

  drawBars(inView, processes) {
    const laneOf = new Map(processes.map((process, i) => [process, i]));
    const shown = new Set();
    const lastOf = [];
    for (const bar of inView) {
      const lane = laneOf.get(bar.op.process);
      if (lane === undefined) continue;
      shown.add(bar);
      bar.x1 = this.x(bar.op.invoked);
      bar.x2 = Math.max(bar.x1 + 4, this.x(bar.op.end));
      bar.y = this.top + lane * LANE_HEIGHT + (LANE_HEIGHT - BAR_HEIGHT) / 2;
      bar.roomTo = this.width;
      if (lastOf[lane]) lastOf[lane].roomTo = bar.x1;
      lastOf[lane] = bar;
    }
    shown.forEach((bar) => this.drawBar(bar));
    for (const bar of this.bars) {
      if (bar.isShown !== shown.has(bar) || !bar.wasDrawn) {
        bar.wasDrawn = true;
        bar.isShown = shown.has(bar);
        show(bar.group, bar.isShown);
      }
    }
  }

  // What returned left of the first line precedes the operation, what was invoked right of the second comes after it.
  drawGuides(op) {
    this.guides.forEach((line, i) => {
      show(line, op !== null && op !== undefined);
      if (!op) return;
      const x = this.x(i === 0 ? op.invoked : op.end);
      for (const [name, value] of [["x1", x], ["x2", x], ["y1", this.top], ["y2", this.height]]) line.setAttribute(name, value);
    });
  }

  drawBar(bar) {
    const {op, rect, text, tail, x1, x2, y} = bar;
    rect.setAttribute("x", x1);
    rect.setAttribute("y", y);
    rect.setAttribute("width", x2 - x1);
    if (tail) {
      for (const [name, value] of [["x1", x2], ["x2", this.width], ["y1", y + BAR_HEIGHT - 2], ["y2", y + BAR_HEIGHT - 2]]) {
        tail.setAttribute(name, value);
      }
    }
    const label = (op.badge ? `(${op.badge}) ` : "") + op.label;
    const start = Math.max(x1, this.left) + 4;
    // Where there is no room inside, one of a contradiction says behind its bar what it is.
    const inside = Math.min(x2, this.width) - start;
    const outside = bar.roomTo - Math.max(x2, this.left) - 6;
    const isOutside = op.role === ROLE_CONTRADICTION && inside < label.length * CHARACTER_WIDTH && outside > inside;
    const room = isOutside ? outside : inside;
    text.setAttribute("x", isOutside ? Math.max(x2, this.left) + 4 : start);
    text.setAttribute("y", y + 14);
    const characters = Math.floor(room / CHARACTER_WIDTH);
    text.textContent = op.badge && characters < 7 && characters > 2 ? `(${op.badge})` : cut(label, characters);
  }

  // The nearest operation in a direction: before and after in its lane, or at the lane's end in any; or in the next lane.
  neighbourOf(op, direction) {
    const shown = this.bars.filter((bar) => bar.isShown).map((bar) => bar.op);
    if (direction === "left" || direction === "right") {
      const step = direction === "left" ? -1 : 1;
      const wanted = byTime.filter((other) => this.isWanted(other));
      const inLane = wanted.filter((other) => other.process === op.process);
      return inLane[inLane.indexOf(op) + step] || wanted[wanted.indexOf(op) + step] || null;
    }
    const rank = laneRank[op.process];
    const below = direction === "down";
    const ranks = shown.map((other) => laneRank[other.process]).filter((r) => (below ? r > rank : r < rank));
    if (ranks.length === 0) return null;
    const next = below ? Math.min(...ranks) : Math.max(...ranks);
    return shown.filter((other) => laneRank[other.process] === next)
      .reduce((a, b) => (Math.abs(b.invoked - op.invoked) < Math.abs(a.invoked - op.invoked) ? b : a));
  }
}
