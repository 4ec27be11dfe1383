// Rendezvous hashing: a key belongs to the member with the highest score for it.
//   shardcheck placement --exec "node my_ring.js"
const members = new Map(); // name -> { weight, rack }; names stay the words that they came as

function score(name, key) {
  let hash = 0;
  for (const text of [name, key]) {
    for (let i = 0; i < text.length; ++i) {
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash ^ 0xff, 0x85ebca6b); // so that the end of the name counts
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return -members.get(name).weight / Math.log(((hash >>> 0) + 0.5) / 2 ** 32);
}

function replicas(key, count) { // one of every rack first
  const scored = [...members.keys()].map((name) => [score(name, key), name]).sort((a, b) => b[0] - a[0]);
  const racks = new Set(['-']);
  const first = [], later = [];
  for (const [, name] of scored) {
    const rack = members.get(name).rack;
    (rack !== '-' && racks.has(rack) ? later : first).push(name);
    racks.add(rack);
  }
  return first.concat(later).slice(0, count);
}

function owner(key) {
  let best, highest = -1;
  for (const name of members.keys()) {
    const found = score(name, key);
    if (found > highest) [best, highest] = [name, found];
  }
  return best;
}

function answer(verb, ...words) {
  const weight = Number(words[1]), known = members.has(words[0]), valid = weight >= 1 && weight <= 1 << 20;
  if (verb === 'hello') return 'ok movement_share=bound balance=bound';
  if (verb === 'reset') return members.clear(), 'ok';
  if (verb === 'add' && valid && !known && words[0] !== '-') return members.set(words[0], { weight, rack: words[2] }), 'ok';
  if (verb === 'weight' && valid && known) return (members.get(words[0]).weight = weight), 'ok';
  if (verb === 'remove' && known) return members.delete(words[0]), 'ok';
  if (verb.startsWith('owner') && members.size > 0) return ['ok', ...words.map(owner)].join(' ');
  if (verb === 'list' && words[0] <= members.size) return ['ok', ...replicas(words[1], Number(words[0]))].join(' ');
  return 'error not with these members';
}

require('node:readline').createInterface({ input: process.stdin })
  .on('line', (line) => process.stdout.write(answer(...line.split(' ')) + '\n'));
