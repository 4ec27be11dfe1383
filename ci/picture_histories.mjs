// Histories for ci/picture: one whose every text would be markup, a long one with a stale read, one without times.
// Usage: node ci/picture_histories.mjs FOLDER
import {createWriteStream, writeFileSync} from "node:fs";

const folder = process.argv[2];

const HOSTILE = "</script><img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script><!--\u2028\u202e";

function hostile() {
  const line = (time, fields) => JSON.stringify({key: HOSTILE, value: null, ...fields, time: time * 1000}) + "\n";
  const other = `${HOSTILE} & another`;
  return line(1, {process: HOSTILE, type: "invoke", f: "write", value: HOSTILE})
    + line(2, {process: "nemesis", type: "info", f: `kill ${HOSTILE}`})
    + line(3, {process: HOSTILE, type: "ok", f: "write", value: HOSTILE})
    + line(4, {process: other, type: "invoke", f: "read"})
    + line(5, {process: other, type: "ok", f: "read", value: other});
}

function untimed() {
  const line = (fields) => JSON.stringify({key: "k", value: null, ...fields}) + "\n";
  return line({process: 0, type: "invoke", f: "write", value: 1}) + line({process: 0, type: "ok", f: "write", value: 1})
    + line({process: 1, type: "invoke", f: "write", value: 2}) + line({process: 2, type: "invoke", f: "read"})
    + line({process: 2, type: "ok", f: "read", value: 2}) + line({process: 1, type: "info", f: "write", value: 2})
    + line({process: 2, type: "invoke", f: "read"}) + line({process: 2, type: "ok", f: "read", value: 1});
}

// 200,000 operations by 16 clients on 4 keys; each takes effect when it is asked for, but one read near the end is told
// what was overwritten long before.
async function long() {
  const out = createWriteStream(`${folder}/long.jsonl`);
  const lines = [];
  const state = [0, 0, 0, 0];
  const older = [0, 0, 0, 0];
  const pending = [];
  const flush = async () => {
    if (!out.write(lines.splice(0).join(""))) await new Promise((resolve) => out.once("drain", resolve));
  };
  for (let i = 0; i < 200000; ++i) {
    const time = i * 1000;
    const process = i % 16;
    if (pending.length === 16) lines.push(pending.shift()(time - 500));
    const key = (i * 7 + (i >> 4)) % 4;
    const isWrite = i % 3 === 0;
    if (isWrite) {
      older[key] ||= state[key];
      state[key] = i + 1;
    }
    const value = isWrite ? i + 1 : (i === 180001 ? older[key] : state[key]) || null;
    const fields = {process, f: isWrite ? "write" : "read", key: `key${key}`};
    lines.push(JSON.stringify({...fields, type: "invoke", value: isWrite ? value : null, time}) + "\n");
    const type = !isWrite && i % 5000 === 4999 ? "fail" : "ok";
    pending.push((at) => JSON.stringify({...fields, type, value: type === "ok" ? value : null, time: at}) + "\n");
    if (lines.length > 10000) await flush();
  }
  lines.push(...pending.map((line) => line(200000 * 1000)));
  await flush();
  await new Promise((resolve) => out.end(resolve));
}

writeFileSync(`${folder}/hostile.jsonl`, hostile());
writeFileSync(`${folder}/untimed.jsonl`, untimed());
await long();
