# A hash ring with virtual nodes, by the convention of the golden vectors: first 32 bits of MD5, labels "name#0", ...
#   shardcheck placement --exec "python3 my_ring.py"
import bisect
import hashlib
import sys
from urllib.parse import unquote_to_bytes

members, ring, settings = {}, [], [100, 32]  # name -> (weight, rack); points; virtual nodes and position bits

def text(word):
    return b"" if word == "-" else unquote_to_bytes(word)

def position(label):
    return int.from_bytes(hashlib.md5(label).digest()[:4], "big") >> 32 - settings[1]

def changed():  # names stay the words that they came as, and equal positions are in the order of names
    ring[:] = sorted((position(text(name) + b"#%d" % i), text(name), name)
                     for name, (weight, _) in members.items() for i in range(weight * settings[0]))
    return "ok"

def owner(at):
    return ring[bisect.bisect_left(ring, (at,)) % len(ring)][2]

def replicas(key, count):  # one of every rack first
    start, racks, first, later = bisect.bisect_left(ring, (position(text(key)),)), set(), [], []
    for name in dict.fromkeys(point[2] for point in ring[start:] + ring[:start]):
        rack = members[name][1]
        (later if rack != "-" and rack in racks else first).append(name)
        racks.add(rack)
    return (first + later)[:count]

def answer(verb, *words):
    if verb == "hello":
        return "ok movement_share=bound balance=bound points=V golden=ring-md5-be32 circle=4294967295"
    if verb == "reset":
        members.clear(), ring.clear()
        settings[:] = int(words[0]), int(words[1])
        return f"ok circle={2 ** settings[1] - 1}"
    if verb in ("add", "weight") and 1 <= int(words[1]) <= 1 << 20 and words[0] != "-" and (words[0] in members) == (verb == "weight"):
        members[words[0]] = (int(words[1]), words[2] if verb == "add" else members[words[0]][1])
        return changed()
    if verb == "remove" and words[0] in members:
        del members[words[0]]
        return changed()
    if verb == "points":
        return " ".join(["ok"] + [f"{at}:{name}" for at, _, name in ring])
    if verb == "position":
        return f"ok {position(text(words[0]))}"
    if verb in ("owner", "owners") and members:
        return " ".join(["ok"] + [owner(position(text(key))) for key in words])
    if verb == "owners_at" and members:
        return " ".join(["ok"] + [owner(int(at)) for at in words])
    if verb == "list" and 0 < int(words[0]) <= len(members):
        return " ".join(["ok"] + replicas(words[1], int(words[0])))
    return "error not with these members"

for line in sys.stdin:
    print(answer(*line.split()), flush=True)
