// The same for C++: serves MyRing to whoever asks in lines.
//   shardcheck placement --exec ./my_ring_served
#include <iostream>

#include "examples/my_ring/my_ring.h"
#include "harness/adapters/placement_server.h"

int main() {
  const shardcheck::PlacementFactory factory{
      "my_ring", [](shardcheck::PlacementParameters) { return std::make_unique<MyRing>(); }};
  return shardcheck::serve_placement(factory, std::cin, std::cout);
}
