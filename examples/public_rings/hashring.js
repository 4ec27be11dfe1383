// Package hashring: 40 hashes and 160 points for a server of average weight, its default. It wants servers as
// HOST:PORT, and has no change of weight: the server is removed and added again.
const HashRing = require('hashring');
const { serve } = require('./program.js');

const server = (name) => `${name}:11211`;
const bare = (found) => found === undefined ? found : found.slice(0, -':11211'.length);

serve(['movement_share=bound', 'balance=bound', 'points=160', 'racks=no', 'circle=4294967295'], () => {
  const ring = new HashRing();
  return {
    add: (name, weight) => ring.add({ [server(name)]: { weight } }),
    remove: (name) => ring.remove(server(name)),
    weight: (name, weight) => { ring.remove(server(name)); ring.add({ [server(name)]: { weight } }); },
    owner: (key) => bare(ring.get(key)),
    list: (key, count) => ring.range(key, count).map(bare),
    points: () => ring.ring.map((point) => [point.value, bare(point.server)]),
    position: (key) => ring.hashValue(key),
    owner_at: (position) => bare(ring.ring[ring.find(position)].server),
  };
});
