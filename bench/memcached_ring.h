// A client of libmemcached with its weighted ketama, for comparing lookups. Where the library was not there when this
// was built, there is none of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "spec/error.h"

namespace shardcheck::bench {

class MemcachedRing {
 public:
  // So many equal servers, at most 100, of which each has about 160 points. Opens no connection. Fails: not installed,
  // or refused by the library.
  static Result<MemcachedRing> of_servers(std::size_t servers);

  // The number of the server that owns the key.
  std::uint32_t owner_of(std::string_view key) const;

 private:
  struct Release {
    void operator()(void* client) const;
  };
  std::unique_ptr<void, Release> client_;
};

}  // namespace shardcheck::bench
