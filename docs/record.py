# Verifies the proof and the evidence records of an object, as archives.md explains.
import calendar, hashlib, json, sys, time
HASHES = {1: "sha256", 2: "sha384", 3: "sha512", 8: "sha3_256", 9: "sha3_384", 10: "sha3_512"}
def elements(der):  # of DER: the tag, the content and the whole of each
    at = 0
    while at < len(der):
        start = at + 2 + max(0, der[at + 1] - 128)
        size = int.from_bytes(der[at + 2:start] or der[at + 1:at + 2], "big")
        yield der[at], der[start:start + size], der[at:start + size]
        at = start + size
def inside(der, *path):  # the content at a path of places
    return inside(list(elements(der))[path[0]][1], *path[1:]) if path else der
def sequence(content):
    size = len(content).to_bytes(4, "big").lstrip(b"\0")
    return b"\x30" + (size if len(content) < 128 else bytes([128 + len(size)]) + size) + content
def moment(token):  # when a token was made
    info = inside(token, 0, 1, 0, 2, 1, 0, 0)
    text = next(content for tag, content, _ in elements(info) if tag == 0x18).decode()
    return calendar.timegm(time.strptime(text[:14], "%Y%m%d%H%M%S"))
def stamps(record, data):  # the tokens of a record, each with its digest
    before = b""
    for _, chain, whole in elements(inside(record, 0, -1)):
        last = None
        for _, stamp, _ in elements(chain):
            part = {tag: (content, all) for tag, content, all in elements(stamp)}
            kind = HASHES[inside(part[0xA0][0], 0)[-1]]
            H = lambda text: hashlib.new(kind, text).digest()
            leaf = H(last) if last else H(H(data) + H(sequence(before))) if before else H(data)
            top, lists = b"", [[h for _, h, _ in elements(l)] for _, l, _ in elements(part[0xA2][0])]
            assert leaf in lists[0], "a time stamp is not over the one before it"
            for one in lists:
                one = sorted(one + [top] if top else one)
                top = H(b"".join(one)) if len(one) > 1 else one[0]
            last = part[0x30][1]
            yield last, top.hex()
        before += whole
def root(leaf, place, size, way):  # of the tree of a seal (RFC 6962)
    if size == 1:
        return leaf
    left = 1 << (size - 1).bit_length() - 1
    two = (root(leaf, place, left, way[:-1]), way[-1]) if place < left else \
        (way[-1], root(leaf, place - left, size - left, way[:-1]))
    return hashlib.sha512(b"\1" + two[0] + two[1]).digest()
def sealed(proof, data):  # finds the object of a proof in its seal
    leaf, seal = proof["leaf"], proof["seal"]["statement"]
    assert leaf["digest"] == hashlib.sha512(data).hexdigest(), "the object is another"
    text = json.dumps(leaf, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    way = [bytes.fromhex(one) for one in proof["inclusion"]]
    top = root(hashlib.sha512(b"\0" + text.encode()).digest(), proof["index"], seal["objects"], way)
    assert top.hex() == seal["root"], "the object is not in the seal"
    print("it is", leaf["path"], "in a seal of", seal["sealed_at"])
    open("seal", "w").write(json.dumps(proof["seal"], sort_keys=True, separators=(",", ":")) + "\n")

given, data = open(sys.argv[1], "rb").read(), open(sys.argv[2], "rb").read()
if given[:1] == b"{":
    sys.exit(sealed(json.loads(given), data))
found = list(stamps(given, data))
times = [moment(token) for token, _ in found] + [int(time.time())]
for n, (token, digest) in enumerate(found, 1):
    open(f"{n}.tst", "wb").write(token)
    print("openssl ts -verify -token_in -CAfile roots.pem -in", f"{n}.tst -digest {digest} -attime {times[n]}")
