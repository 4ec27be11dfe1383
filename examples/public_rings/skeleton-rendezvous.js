// Package skeleton-rendezvous: rendezvous hashing over a tree of clusters of 16 sites, its default. No weights, no lists.
const Hasher = require('skeleton-rendezvous');
const { serve } = require('./program.js');

serve(['movement_share=bound', 'balance=bound', 'points=0', 'weights=no', 'racks=no', 'lists=no'], () => {
  const hasher = new Hasher();
  return {
    add: (name) => hasher.addSites([name]),
    remove: (name) => hasher.removeSites([name]),
    owner: (key) => hasher.findSite(key),
  };
});
