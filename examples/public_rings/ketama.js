// Package ketama. Its number of points for each unit of weight is a variable of the class.
const { HashRing } = require('ketama');
const { serve } = require('./program.js');

serve(['movement_share=bound', 'balance=bound', 'points=V', 'racks=no', 'circle=4294967295'], (virtualNodes) => {
  HashRing.baseWeight = virtualNodes;
  const ring = new HashRing();
  const middle = 2 ** 31; // its positions are signed
  return {
    add: (name, weight) => ring.addNode(name, weight),
    remove: (name) => ring.removeNode(name),
    weight: (name, weight) => ring.addNode(name, weight),
    owner: (key) => ring.getNode(key),
    list: (key, count) => ring.getNodes(key, count),
    points: () => ring.clock.map(([position, name]) => [position + middle, name]),
    position: (key) => ring.hashFn(Buffer.from(key)) + middle,
    owner_at: (position) => {
      const hash = ring.hashFn;
      ring.hashFn = () => position - middle;
      const owner = ring.getNode('');
      ring.hashFn = hash;
      return owner;
    },
  };
});
