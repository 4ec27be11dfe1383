#include "bench/memcached_ring.h"

#ifdef SHARDCHECK_HAS_MEMCACHED
#include <fmt/format.h>
#include <libmemcached-1.0/memcached.h>

#include "spec/assert.h"

namespace shardcheck::bench {

Result<MemcachedRing> MemcachedRing::of_servers(std::size_t servers) {
  SHARDCHECK_ASSERT(servers <= 100);
  MemcachedRing ring;
  memcached_st* const client = memcached_create(nullptr);
  if (client == nullptr) {
    return fail("libmemcached", "made no client");
  }
  ring.client_.reset(client);
  memcached_return_t status = memcached_behavior_set(client, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1);
  for (std::size_t server = 0; server < servers && memcached_success(status); ++server) {
    const std::string name = fmt::format("10.0.{}.{}", server / 250, server % 250 + 1);
    status = memcached_server_add(client, name.c_str(), 11'211);
  }
  if (memcached_failed(status)) {
    return fail("libmemcached", memcached_strerror(client, status));
  }
  return ring;
}

std::uint32_t MemcachedRing::owner_of(std::string_view key) const {
  return memcached_generate_hash(static_cast<const memcached_st*>(client_.get()), key.data(), key.size());
}

void MemcachedRing::Release::operator()(void* client) const { memcached_free(static_cast<memcached_st*>(client)); }

}  // namespace shardcheck::bench
#else
namespace shardcheck::bench {

Result<MemcachedRing> MemcachedRing::of_servers(std::size_t) { return fail("libmemcached", "not installed"); }

std::uint32_t MemcachedRing::owner_of(std::string_view) const { return 0; }

void MemcachedRing::Release::operator()(void*) const {}

}  // namespace shardcheck::bench
#endif
