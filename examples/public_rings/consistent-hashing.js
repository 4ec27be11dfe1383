// Package consistent-hashing. It knows no weights and no lists of replicas.
const ConsistentHashing = require('consistent-hashing');
const { serve } = require('./program.js');

serve(['movement_share=bound', 'balance=bound', 'points=V', 'weights=no', 'racks=no', 'lists=no'], (virtualNodes) => {
  const ring = new ConsistentHashing([], { replicas: virtualNodes });
  return {
    add: (name) => ring.addNode(name),
    remove: (name) => ring.removeNode(name),
    owner: (key) => ring.getNode(key) || undefined, // it answers 0 when it is empty
  };
});
