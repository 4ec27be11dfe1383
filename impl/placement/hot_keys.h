// What to do about a key that one owner cannot serve: spread it over several keys, which a placement puts at different
// owners.
//
// - Salted, for hot writes (counters, logs): each write goes to one of the keys, chosen by a token of the request; a
// read
//   asks all of them and puts the answers together (fan-in).
// - Copied, for hot reads: each write goes to all of the keys, a read asks one of them. The copies are written one
// after
//   another, so a reader can see an older one; who must not reads copy 0, the key itself, which is written first.
//
// The first of the keys is the key itself, so that spreading one finds what was written before, and a copied key has to
// be filled into its other copies before it is marked. Taking the spread back first needs the data put together again:
// until then the mark stays. The other parts begin with a zero byte, so no key of another beginning is one of them.
//
// Guarantees, for every token: a read of a salted key asks every key that a write may have gone to; a read of a copied
// key asks one that every write goes to. A call that fails changes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "spec/error.h"

namespace shardcheck::impl {

inline constexpr std::uint32_t kHotKeyPartsMax = 1'024;

class HotKeys {
 public:
  // Fails: parts not in [2, kHotKeyPartsMax], fewer parts than now (data lies in them), the other way of spreading, a
  // key that begins with a zero byte.
  Result<void> salt(std::string_view key, std::uint32_t parts);
  Result<void> copy(std::string_view key, std::uint32_t parts);
  // When its data is back at the key itself. Fails: it is not spread.
  Result<void> settle(std::string_view key);

  // The keys to write, the key itself first where it is among them, and those to read, for a request with this token:
  // any number that differs between requests.
  std::vector<std::string> keys_to_write(std::string_view key, std::uint64_t token) const;
  std::vector<std::string> keys_to_read(std::string_view key, std::uint64_t token) const;

  // 1 for a key that is not spread.
  std::uint32_t parts_of(std::string_view key) const;
  static std::string part_key(std::string_view key, std::uint32_t part);

 private:
  enum class Way : std::uint8_t { salted, copied };
  struct Spread {
    Way way;
    std::uint32_t parts;
  };

  Result<void> spread(std::string_view key, Spread wanted);
  std::vector<std::string> keys(std::string_view key, std::uint64_t token, Way way_to_all) const;

  std::map<std::string, Spread, std::less<>> spreads_;
};

}  // namespace shardcheck::impl
