// Answers the lines of `shardcheck placement --exec` with a ring of a package (../my_ring_any_language/README.md).
//
// serve(hello, make): `hello` are the words of promises; make(virtualNodes) gives a fresh ring { add(name, weight),
// remove(name), weight(name, weight), owner(key), list(key, count), points(), position(key), owner_at(position) }, of which
// what hello does not offer may be absent. Unknown, duplicate and empty names and bad weights are refused here, so that
// the package is judged by what it does with good ones.
const encode = (text) => text === '-' ? '%2D' : text === '' ? '-' : encodeURIComponent(text);
const decode = (word) => word === '-' ? '' : decodeURIComponent(word);

exports.serve = (hello, make) => {
  let ring, members = new Set();
  const refuse = (why) => { throw new Error(why); };
  const guard = (name, weight, shouldBeThere) => {
    if (name === '' || !(weight >= 1 && weight <= 1 << 20) || members.has(name) !== shouldBeThere) {
      refuse('no such change of these members');
    }
  };
  const answers = {
    hello: () => hello,
    reset: (virtualNodes) => { ring = make(Number(virtualNodes)); members = new Set(); return []; },
    add: (name, weight) => { guard(name, Number(weight), false); ring.add(name, Number(weight)); members.add(name); return []; },
    remove: (name) => { guard(name, 1, true); ring.remove(name); members.delete(name); return []; },
    weight: (name, weight) => { guard(name, Number(weight), true); ring.weight(name, Number(weight)); return []; },
    owner: (...keys) => keys.map((key) => {
      const owner = ring.owner(key);
      return owner === undefined || owner === null ? refuse('no owner') : encode(String(owner));
    }),
    owners: (...keys) => answers.owner(...keys),
    list: (count, key) => {
      if (Number(count) > members.size) refuse('more replicas than members');
      return ring.list(key, Number(count)).map((name) => encode(String(name)));
    },
    points: () => ring.points().map(([position, name]) => `${position}:${encode(name)}`),
    position: (key) => [ring.position(key)],
    owners_at: (...positions) => positions.map((position) => encode(ring.owner_at(Number(position)))),
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const [verb, ...words] = line.split(' ');
    let answer;
    try {
      answer = ['ok', ...answers[verb](...words.map(decode))].join(' ');
    } catch (problem) {
      answer = `error ${String(problem.message).replace(/[^ -~]/g, '?')}`;
    }
    process.stdout.write(answer + '\n');
  });
};
