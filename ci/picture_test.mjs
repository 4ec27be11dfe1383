// Opens the pages that ci/picture made in Chromium and uses them as a reader would.
// Usage: node ci/picture_test.mjs FOLDER (with the pages and node_modules/playwright-core in it)
import assert from "node:assert/strict";
import {createRequire} from "node:module";
import {statSync} from "node:fs";

const folder = process.argv[2];
const {chromium} = createRequire(`${folder}/`)("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"],
});
const cases = [];
const test = (name, run) => cases.push([name, run]);

// Opens a page; whatever it complains about or asks for fails the test at its end.
async function open(name, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  const problems = [];
  const file = `file://${folder}/${name}.html`;
  page.on("console", (message) => problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { problems.push("a dialog"); dialog.dismiss(); });
  page.on("request", (request) => {
    if (request.url() !== file && !request.url().startsWith("data:")) problems.push(`request: ${request.url()}`);
  });
  await page.goto(file);
  await page.waitForSelector("#chart .op", {state: "attached"});
  const close = async () => {
    await page.waitForTimeout(100);
    assert.deepEqual(problems, []);
    await context.close();
  };
  return {page, close, shot: (suffix) => page.screenshot({path: `${folder}/${name}-${suffix}.png`, fullPage: true})};
}

const shownOps = (page) => page.locator("#chart .op:visible").count();
const statusText = (page) => page.locator("#shown").textContent();
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

for (const name of ["moves", "faults", "kills", "undecided", "hostile", "long", "untimed"]) {
  test(`${name}: draws, light and dark, wide and small, without an error or a request`, async () => {
    for (const [suffix, options] of [["light", {}], ["dark", {colorScheme: "dark"}],
      ["small", {viewport: {width: 360, height: 740}, hasTouch: true}]]) {
      const {page, close, shot} = await open(name, options);
      assert.ok(await shownOps(page) > 0, `${name} ${suffix}: nothing is drawn`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${name} ${suffix}: the page is ${overflow} px too wide`);
      await shot(suffix);
      await close();
    }
    assert.ok(statSync(`${folder}/${name}.html`).size < 2_000_000);
  });
}

test("the verdict and the explanation are in words", async () => {
  const {page, close} = await open("moves");
  assert.equal(await page.locator("#verdict").textContent(), "not linearizable");
  assert.match(await page.locator("#findings .finding .text").first().textContent(), /line \d+/);
  assert.ok(await page.locator("#chart .op.bad:visible").count() > 0);
  await close();
  const undecided = await open("undecided");
  assert.match(await undecided.page.locator("#findings").textContent(), /undecided, which is .*it took more steps than --steps allows/);
  await undecided.close();
  const holds = await open("faults");
  assert.match(await holds.page.locator("#findings-heading").textContent(), /Nothing contradicts/);
  await holds.close();
});

test("a click keeps the details, a second one lets them go, hovering shows others", async () => {
  const {page, close} = await open("moves");
  const bad = page.locator("#chart .op.bad:visible rect").first();
  await page.keyboard.press("Escape");
  await bad.click({force: true});
  await page.mouse.move(2, 2);
  await page.locator("#chart").evaluate((chart) => chart.querySelector(":focus")?.blur());
  assert.match(await page.locator("#details").textContent(), /part of a contradiction/);
  assert.match(await page.locator("#details").textContent(), /answeredok; after .* line \d+/);
  const other = page.locator("#chart .op:not(.bad):visible rect").first();
  await other.hover({force: true});
  assert.doesNotMatch(await page.locator("#details").textContent(), /part of a contradiction/);
  await page.mouse.move(2, 2);
  assert.match(await page.locator("#details").textContent(), /part of a contradiction/);
  await bad.click({force: true});
  assert.equal(await page.locator("#chart .op.pinned").count(), 0);
  await close();
});

test("a fault is a band with details", async () => {
  const {page, close} = await open("faults");
  const band = page.locator("#chart .band:visible .bar").first();
  await band.click({force: true});
  const details = await page.locator("#details").textContent();
  assert.match(details, /partition/);
  assert.match(details, /lasting \d+\.?\d* s/);
  assert.match(details, /heal/);
  await close();
});

test("filters by process and by key", async () => {
  const {page, close} = await open("moves");
  await page.selectOption("#key-filter", "-1");
  await page.click("#to-whole");
  await settled(page);
  const all = await shownOps(page);
  await page.selectOption("#process-filter", {index: 2});
  await settled(page);
  const some = await shownOps(page);
  assert.ok(some > 0 && some < all, `${some} of ${all}`);
  assert.equal(await page.locator("#chart .label").count(), 1);
  await page.locator("#chart .label").click();
  await settled(page);
  assert.equal(await shownOps(page), all);
  await page.selectOption("#key-filter", {label: "contradictions alone"});
  await settled(page);
  assert.equal(await shownOps(page), await page.locator("#chart .op.bad:visible").count());
  await page.selectOption("#key-filter", {index: 2});
  await settled(page);
  const onKey = await shownOps(page);
  assert.ok(onKey > 0 && onKey < all, `${onKey} of ${all}`);
  assert.match(await statusText(page), /on key/);
  await close();
});

test("zooms and pans by buttons, wheel, drag and strip", async () => {
  const {page, close} = await open("long");
  await page.selectOption("#key-filter", "-1");
  await page.click("#to-whole");
  await settled(page);
  const lengthOf = async () => page.locator("#strip .window").evaluate((w) => Number(w.getAttribute("width")));
  const placeOf = async () => page.locator("#strip .window").evaluate((w) => Number(w.getAttribute("x")));
  const whole = await lengthOf();
  await page.click("#zoom-in");
  await page.click("#zoom-in");
  await settled(page);
  const zoomed = await lengthOf();
  assert.ok(zoomed < whole / 2, `${zoomed} of ${whole}`);
  const place = await placeOf();
  await page.click("#pan-right");
  await settled(page);
  assert.ok(await placeOf() > place);
  const box = await page.locator("#chart").boundingBox();
  const before = await placeOf();
  await page.mouse.move(box.x + 700, box.y + 12);
  await page.mouse.down();
  await page.mouse.move(box.x + 900, box.y + 12, {steps: 4});
  await page.mouse.up();
  await settled(page);
  assert.ok(await placeOf() < before, "dragging to the right shows what was earlier");
  await page.mouse.move(box.x + 700, box.y + 40);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await settled(page);
  assert.ok(await lengthOf() < zoomed);
  const strip = await page.locator("#strip").boundingBox();
  await page.mouse.click(strip.x + strip.width * 0.1, strip.y + 20);
  await settled(page);
  assert.ok(await placeOf() < 100);
  await close();
});

test("of a long history it says what is left out, and finds the contradiction again", async () => {
  const {page, close} = await open("long");
  assert.match(await page.locator("#left-out").textContent(), /of 200,000 operations are drawn/);
  await page.click("#to-whole");
  await settled(page);
  await page.locator("#findings .finding li button").last().click();
  await settled(page);
  assert.ok(await page.locator("#chart .op.bad.pinned:visible").count() === 1);
  await page.check("#even");
  await page.click("#to-contradiction");
  await settled(page);
  assert.ok(await page.locator("#chart .op.bad:visible").count() > 0);
  await page.screenshot({path: `${folder}/long-even.png`, fullPage: true});
  await close();
});

test("can be used with the keyboard alone, and is named for screen readers", async () => {
  const {page, close} = await open("kills");
  await page.locator("#even").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  const first = await focused();
  assert.match(first, /^process .*, key .*: /);
  await page.keyboard.press("ArrowLeft");
  const second = await focused();
  assert.notEqual(second, first);
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await focused(), second);
  await page.keyboard.press("Escape");  // the page opens with one kept, which may be this one
  assert.equal(await page.locator("#chart .pinned").count(), 0);
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#chart .pinned").count(), 1);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-pressed")), "true");
  const unnamed = await page.evaluate(() => [...document.querySelectorAll("button, select, [role=button], svg[role]")]
    .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim())).length);
  assert.equal(unnamed, 0);
  await close();
});

test("hostile texts are shown as texts", async () => {
  const {page, close} = await open("hostile");
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.match(await page.locator("#findings").textContent(), /<\/script><img src=x/);
  assert.match(await page.locator("#chart .band text").first().textContent(), /^$|kill/);
  assert.equal(await page.evaluate(() => document.body.innerText.includes("\u202e")), false);
  await close();
});

let failed = 0;
for (const [name, run] of cases) {
  try {
    await run();
    console.log(`ok      ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}\n        ${String(error.message).split("\n").slice(0, 6).join("\n        ")}`);
  }
}
await browser.close();
console.log(`${cases.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
