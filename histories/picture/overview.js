// The strip: the whole history, counted; where the window is, and where the contradictions are.
const STRIP_WIDTH = 480;
const STRIP_HEIGHT = 56;

class Overview {
  // `on.center(time)`: the window is to be there.
  constructor(element, on) {
    this.element = element;
    element.setAttribute("viewBox", `0 0 ${STRIP_WIDTH} ${STRIP_HEIGHT}`);
    this.drawBands();
    const most = Math.max(1, ...data.density.all);
    this.drawCounts(data.density.all, most, "all");
    this.drawCounts(data.density.focus, most, "focus");
    this.drawCounts(data.density.unsuccessful, most, "unsuccessful");
    for (const op of operations.filter((other) => other.role === ROLE_CONTRADICTION)) {
      const x = this.x(op.invoked);
      svg("line", {class: "mark", x1: x, x2: x, y1: 0, y2: STRIP_HEIGHT}, element);
    }
    this.window = svg("rect", {class: "window", y: 0.5, height: STRIP_HEIGHT - 1}, element);
    element.setAttribute("aria-label", `Operations over the whole history, ${durationText(data.span)}`);
    const go = (event) => {
      const box = element.getBoundingClientRect();
      on.center(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * data.span);
    };
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      go(event);
    });
    element.addEventListener("pointermove", (event) => {
      if (element.hasPointerCapture(event.pointerId)) go(event);
    });
  }

  x(time) {
    return time / Math.max(1, data.span) * STRIP_WIDTH;
  }

  drawCounts(counts, most, name) {
    if (!counts.some((count) => count > 0)) return;
    let path = `M0 ${STRIP_HEIGHT}`;
    counts.forEach((count, i) => {
      const y = (STRIP_HEIGHT * (1 - (count > 0 ? Math.max(0.05, count / most * 0.92) : 0))).toFixed(2);
      const end = Math.min(STRIP_WIDTH, this.x((i + 1) * data.density.width));
      path += `L${this.x(i * data.density.width).toFixed(2)} ${y}L${end.toFixed(2)} ${y}`;
    });
    svg("path", {class: name, d: `${path}L${STRIP_WIDTH} ${STRIP_HEIGHT}Z`}, this.element);
  }

  drawBands() {
    for (const band of bands) {
      const x = this.x(band.from);
      const width = Math.max(0.4, this.x(band.until) - x);
      svg("rect", {class: "band", x, width, y: 0, height: STRIP_HEIGHT}, this.element);
    }
  }

  draw(from, to) {
    const x = Math.max(0, this.x(from));
    this.window.setAttribute("x", x);
    this.window.setAttribute("width", Math.max(1.5, Math.min(STRIP_WIDTH, this.x(to)) - x));
  }
}
