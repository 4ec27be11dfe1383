"""The real rings: what libmemcached, nutcracker, nginx and redis-server answer, compared with properties/golden/.

`ci/placement_peers` runs it. Exit codes: 0 all agree, 1 an answer differs from the file, 3 something could not be run.
"""

import ctypes
import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GOLDEN = os.path.join(ROOT, "properties", "golden")
KEYS = [f"user:{number}" for number in range(3000)]
OWNERS_A_LINE = 50

# Name -> (member, weight). A member on 127.0.0.1 is given to nutcracker without a name of its own, so that it makes the
# label from the address; the others are names for servers of ours on 127.0.0.1.
KETAMA_LISTS = {
    "equal_3": [(f"10.0.1.{number}:11211", 1) for number in (1, 2, 3)],
    "weighted_8": [(f"10.0.1.{number + 1}:11211", weight)
                   for number, weight in enumerate((600, 300, 200, 350, 1000, 800, 950, 100))],
    "equal_25_of_156_points": [(f"cache-{number}.example.net:11212", 1) for number in range(25)],
    "floats_round_down_3": [("127.0.0.1:21001", 42), ("127.0.0.1:21002", 19), ("127.0.0.1:21003", 19)],
    "equal_100_of_156_points": [(f"cache-{number}.example.net:11211", 1) for number in range(100)],
}

NGINX_LISTS = {
    "equal_3": [(f"127.0.0.1:2500{number}", 1) for number in (1, 2, 3)],
    "weighted_4": [(f"127.0.0.1:2510{number}", weight) for number, weight in ((1, 1), (2, 2), (3, 3), (4, 5))],
    "equal_10_hosts": [(f"127.0.1.{number}:25200", 1) for number in range(1, 11)],
    "unix_sockets_3": [("unix:/tmp/shardcheck-a.sock", 1), ("unix:/tmp/shardcheck-b.sock", 2),
                       ("unix:/tmp/shardcheck-c.sock", 1)],
    "equal_40_hosts": [(f"127.0.2.{number}:25300", 1) for number in range(1, 41)],
}

REDIS_KEYS = [
    "user:42", "foo", "123456789", "bar", "foo{bar}", "{bar}", "{bar}foo", "foo{", "foo}", "foo{}", "{}", "{}{a}",
    "foo{}{bar}", "foo{a}{b}", "a", "foo{{bar}}zap", "{{bar}}zap", "foo{bar}{zap}", "a{'1':{'i32':1}}", "a}b{c}d",
    "{a", "}{a}", "{a}}", "{{a}", "{user1000}.following", "{user1000}.followers", "\x01\xff", "key with space", "{\xe9}x",
] + [f"user:{number}" for number in range(200)] + [f"x{{tag:{number}}}y" for number in range(50)]


class Trouble(Exception):
    """Something could not be run: exit code 3."""


def wait_for_port(address, child, what):
    for _ in range(100):
        if child.poll() is not None:
            raise Trouble(f"{what} ended with {child.returncode} instead of starting")
        try:
            socket.create_connection(address, timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise Trouble(f"{what} does not listen on {address[0]}:{address[1]}")


def stop(child):
    child.terminate()
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def version(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    return found.group() if found else "unknown"


# libmemcached

KETAMA_WEIGHTED = 16  # memcached_behavior_t


def libmemcached():
    try:
        library = ctypes.CDLL("libmemcached.so.11")
    except OSError as error:
        raise Trouble(f"libmemcached: {error}") from error
    library.memcached_create.restype = ctypes.c_void_p
    library.memcached_lib_version.restype = ctypes.c_char_p
    library.memcached_behavior_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64]
    library.memcached_behavior_get.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.memcached_behavior_get.restype = ctypes.c_uint64
    library.memcached_server_add_with_weight.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint16,
                                                         ctypes.c_uint32]
    library.memcached_generate_hash.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    library.memcached_generate_hash.restype = ctypes.c_uint32
    library.memcached_free.argtypes = [ctypes.c_void_p]
    return library


def owners_by_libmemcached(members):
    library = libmemcached()
    client = library.memcached_create(None)
    if library.memcached_behavior_set(client, KETAMA_WEIGHTED, 1) != 0:
        raise Trouble("libmemcached does not take KETAMA_WEIGHTED")
    for name, weight in members:
        host, port = name.rsplit(":", 1)
        if library.memcached_server_add_with_weight(client, host.encode(), int(port), weight) != 0:
            raise Trouble(f"libmemcached does not take the server {name}")
    owners = [library.memcached_generate_hash(client, key.encode(), len(key)) for key in KEYS]
    library.memcached_free(client)
    return owners


# nutcracker, in front of servers that answer every get with their number

class NumberedServer:
    """Listens on a port of 127.0.0.1 and answers `get KEY` with its number."""

    def __init__(self, port, number):
        self.number = str(number).encode()
        self.listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("rwb") as stream:
            for line in stream:
                key = line.split()[1]
                stream.write(b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (key, len(self.number), self.number))
                stream.flush()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)  # wakes accept(), which would otherwise keep the port
        self.listener.close()


def owners_by_nutcracker(members, folder):
    listen = ("127.0.0.1", 21999)
    servers = []
    lines = []
    for number, (name, weight) in enumerate(members):
        host, port = name.rsplit(":", 1)
        is_address = host == "127.0.0.1"
        own_port = int(port) if is_address else 22000 + number
        servers.append(NumberedServer(own_port, number))
        label = "" if is_address else " " + (host if port == "11211" else name)
        lines.append(f"  - 127.0.0.1:{own_port}:{weight}{label}")
    config = os.path.join(folder, "nutcracker.yml")
    with open(config, "w", encoding="utf-8") as stream:
        stream.write(f"pool:\n  listen: {listen[0]}:{listen[1]}\n  hash: md5\n  distribution: ketama\n"
                     "  timeout: 5000\n  servers:\n" + "\n".join(lines) + "\n")
    child = subprocess.Popen(["nutcracker", "-c", config, "-o", os.path.join(folder, "nutcracker.log"),
                              "-s", "21998", "-a", "127.0.0.1"])
    try:
        wait_for_port(listen, child, "nutcracker")
        owners = []
        with socket.create_connection(listen, timeout=10) as connection, connection.makefile("rwb") as stream:
            for key in KEYS:
                stream.write(f"get {key}\r\n".encode())
                stream.flush()
                head, value, end = (stream.readline() for _ in range(3))
                if not head.startswith(b"VALUE") or end != b"END\r\n":
                    raise Trouble(f"nutcracker answers {head!r} to get {key}")
                owners.append(int(value))
        return owners
    finally:
        stop(child)
        for server in servers:
            server.close()


# nginx, in front of servers of its own that answer with their number

def owners_by_nginx(members, folder):
    listen = ("127.0.0.1", 25999)
    upstream = "\n".join(f"    server {name} weight={weight};" for name, weight in members)
    backends = "\n".join(f'  server {{ listen {name}; location / {{ return 200 "{number}"; }} }}'
                         for number, (name, _) in enumerate(members))
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w", encoding="utf-8") as stream:
        stream.write(f"""pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
daemon off;
worker_processes 1;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  upstream ring {{
    hash $arg_k consistent;
{upstream}
  }}
  server {{ listen {listen[0]}:{listen[1]}; location / {{ proxy_pass http://ring; }} }}
{backends}
}}
""")
    child = subprocess.Popen(["nginx", "-p", folder, "-c", config], stderr=subprocess.DEVNULL)
    try:
        wait_for_port(listen, child, "nginx (see its log)")
        connection = http.client.HTTPConnection(*listen, timeout=10)
        owners = []
        for key in KEYS:
            connection.request("GET", f"/?k={key}")
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise Trouble(f"nginx answers {answer.status} for {key}")
            owners.append(int(text))
        return owners
    finally:
        stop(child)


# redis-server

def slots_by_redis(folder):
    port = 26379
    child = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--cluster-enabled", "yes",
                              "--dir", folder, "--save", "", "--cluster-port", "26380"], stdout=subprocess.DEVNULL)
    try:
        wait_for_port(("127.0.0.1", port), child, "redis-server")
        slots = []
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection, \
                connection.makefile("rwb") as stream:
            for key in REDIS_KEYS:
                raw = key.encode("latin-1")
                stream.write(b"*3\r\n$7\r\nCLUSTER\r\n$7\r\nKEYSLOT\r\n$%d\r\n%s\r\n" % (len(raw), raw))
                stream.flush()
                line = stream.readline()
                if not line.startswith(b":"):
                    raise Trouble(f"redis-server answers {line!r} to CLUSTER KEYSLOT")
                slots.append(int(line[1:]))
        return slots
    finally:
        stop(child)


# Files

def word(text):
    """As in a placement case: %XX for what is not visible ASCII, and for '%'."""
    return "".join(letter if "!" <= letter <= "~" and letter != "%" else f"%{ord(letter):02X}" for letter in text)


def owners_file(peers, members, owners):
    lines = [f"# Whom {peers} gives the keys user:0 to user:2999, as numbers in the list of members.",
             "# Recorded by `ci/placement_peers --record`."]
    lines += [f"member {name} {weight}" for name, weight in members]
    for first in range(0, len(owners), OWNERS_A_LINE):
        lines.append(f"owners {first} " + " ".join(str(owner) for owner in owners[first:first + OWNERS_A_LINE]))
    return "\n".join(lines) + "\n"


def slots_file(peer, slots):
    lines = [f"# Slots by CLUSTER KEYSLOT of {peer}. Recorded by `ci/placement_peers --record`."]
    lines += [f"slot {word(key)} {slot}" for key, slot in zip(REDIS_KEYS, slots)]
    return "\n".join(lines) + "\n"


def without_comments(text):
    return [line for line in text.splitlines() if not line.startswith("#")]


def settle(path, text, is_recording):
    """Writes the file, or says whether it has the same answers."""
    shown = os.path.relpath(path, ROOT)
    if is_recording:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        print(f"{shown}: recorded")
        return True
    try:
        with open(path, encoding="utf-8") as stream:
            known = without_comments(stream.read())
    except OSError as error:
        raise Trouble(f"{shown}: {error.strerror}; record it first") from error
    found = without_comments(text)
    differences = [(old, new) for old, new in zip(known, found) if old != new]
    if not differences and len(known) == len(found):
        print(f"{shown}: agrees")
        return True
    print(f"{shown}: differs, first in:\n  file {(differences or [('', '')])[0][0]}\n  peer "
          f"{(differences or [('', '')])[0][1]}")
    return False


def run(is_recording, folder):
    agree = True
    ketama_peers = (f"libmemcached {libmemcached().memcached_lib_version().decode()} (KETAMA_WEIGHTED) and nutcracker "
                    f"{version(['nutcracker', '-V'])} (ketama, md5)")
    for name, members in KETAMA_LISTS.items():
        owners = owners_by_libmemcached(members)
        others = owners_by_nutcracker(members, folder)
        if owners != others:
            first = next(number for number in range(len(owners)) if owners[number] != others[number])
            print(f"{name}: libmemcached and nutcracker differ, first for {KEYS[first]}: {owners[first]}, {others[first]}")
            agree = False
            continue
        agree &= settle(os.path.join(GOLDEN, "ketama", name + ".txt"), owners_file(ketama_peers, members, owners),
                        is_recording)
    nginx = f"nginx {version(['nginx', '-v'])} (hash $arg_k consistent)"
    for name, members in NGINX_LISTS.items():
        owners = owners_by_nginx(members, folder)
        agree &= settle(os.path.join(GOLDEN, "nginx", name + ".txt"), owners_file(nginx, members, owners), is_recording)
    redis = f"redis-server {version(['redis-server', '--version'])}"
    agree &= settle(os.path.join(GOLDEN, "redis", "slots.txt"), slots_file(redis, slots_by_redis(folder)), is_recording)
    return agree


def main(arguments):
    if arguments not in ([], ["--record"]):
        print("usage: ci/placement_peers [--record]", file=sys.stderr)
        return 3
    folder = tempfile.mkdtemp(prefix="shardcheck-peers-")
    try:
        return 0 if run(arguments == ["--record"], folder) else 1
    except (Trouble, OSError) as trouble:
        print(f"ci/placement_peers: {trouble}", file=sys.stderr)
        return 3
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main(sys.argv[1:]))
