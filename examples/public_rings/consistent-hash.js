// Package consistent-hash, by its option of evenly spread control points; without it they are drawn at random, and no
// two processes agree on anything. With it, says its page, each member has the same number of them: no weights.
const ConsistentHash = require('consistent-hash');
const { serve } = require('./program.js');

serve(['movement_share=bound', 'balance=bound', 'points=V', 'weights=no', 'racks=no'], (virtualNodes) => {
  const ring = new ConsistentHash({ distribution: 'uniform', controlPoints: virtualNodes });
  return {
    add: (name) => ring.add(name),
    remove: (name) => ring.remove(name),
    owner: (key) => ring.get(key),
    list: (key, count) => ring.get(key, count),
  };
});
