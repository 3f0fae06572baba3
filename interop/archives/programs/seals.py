"""A second implementation of section 16 of docs/spec.md, for a peer of the first.

    seals.py check FOLDER          answers every conformance case: a line NAME VERDICT each
    seals.py sign SEED SEED IN OUT makes the envelope of a statement
    seals.py verify PINS SEAL      exits with 0 if the seal verifies

It knows two verdicts, verified and not. The signatures are those of OpenSSL.
"""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA65PrivateKey, MLDSA65PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

DOMAIN = b"svc.hybrid-signature.v1+Ed25519+ML-DSA-65"
HASHES = {"sha-512": hashlib.sha512, "sha3-512": hashlib.sha3_512}
DIGEST = re.compile(r"[0-9a-f]{128}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class Refused(Exception):
    pass


def demand(holds, why="malformed"):
    if not holds:
        raise Refused(why)


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def octets(text, size):
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    demand(len(raw) == size and base64.urlsafe_b64encode(raw).rstrip(b"=").decode() == text)
    return raw


def pae(kind, body):
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body)


def message(signer, protocol, payload):
    digests = bytes.fromhex(signer["ed25519"] + signer["ml_dsa_65"])
    return pae(DOMAIN, digests + pae(protocol.encode(), payload))


def document(raw, most):
    """A file in its one spelling."""
    demand(len(raw) <= most, "too large")
    demand(raw.endswith(b"\n"))
    value = json.loads(raw[:-1])
    demand(canonical(value) + b"\n" == raw, "spelling")
    return value


def closed(value, members, optional=()):
    demand(isinstance(value, dict) and set(members) <= set(value) <= set(members) | set(optional))
    return value


def integer(value, least):
    demand(type(value) is int and least <= value < 2**53)
    return value


def digest(text):
    demand(isinstance(text, str) and DIGEST.fullmatch(text))
    return bytes.fromhex(text)


def opened(envelope, pins):
    """The statement of a seal that verifies."""
    closed(envelope, ["signatures", "statement"])
    signatures = closed(envelope["signatures"], ["ed25519", "ml_dsa_65"])
    s = closed(envelope["statement"], ["protocol", "signer", "hash", "root", "objects", "octets", "run_sha256",
                                       "trust_sha512", "sealed_at"], ["previous"])
    demand(s["protocol"] == "svc.archive-seal.v1" and s["hash"] in HASHES)
    signer = closed(s["signer"], ["ed25519", "ml_dsa_65"])
    for text in [signer["ed25519"], signer["ml_dsa_65"], s["root"], s.get("previous", s["root"]), *s["trust_sha512"]]:
        digest(text)
    demand(re.fullmatch("[0-9a-f]{64}", s["run_sha256"]) and TIME.fullmatch(s["sealed_at"]))
    demand(1 <= len(s["trust_sha512"]) <= 64 and s["trust_sha512"] == sorted(set(s["trust_sha512"])))
    integer(s["objects"], 1), integer(s["octets"], 0)
    for pin in pins["keys"].values():
        ed, ml = octets(pin["ed25519"], 32), octets(pin["ml_dsa_65"], 1952)
        if [hashlib.sha512(k).hexdigest() for k in (ed, ml)] == [signer["ed25519"], signer["ml_dsa_65"]]:
            break
    else:
        raise Refused("no pinned pair")
    signed = message(signer, s["protocol"], canonical(s))
    try:
        Ed25519PublicKey.from_public_bytes(ed).verify(octets(signatures["ed25519"], 64), signed)
        MLDSA65PublicKey.from_public_bytes(ml).verify(octets(signatures["ml_dsa_65"], 3309), signed, DOMAIN)
    except InvalidSignature:
        raise Refused("signature") from None
    demand(pin["valid_from"] <= s["sealed_at"] < pin.get("valid_until", "a"), "time")
    return s


# The list of SPEC 15.1.
PLAIN = [(0x20, 0x7E), (0xA1, 0xAC), (0xAE, 0x58F), (0x900, 0x167F), (0x1E00, 0x1FFF), (0x3041, 0x30FF),
         (0x3400, 0x9FFF), (0xAC00, 0xD7A3)]


def path_text(path):
    text = ""
    for c in path.decode("utf-8", "surrogateescape"):
        if c != "%" and any(low <= ord(c) <= high for low, high in PLAIN):
            text += c
        else:
            text += "".join("%%%02X" % b for b in c.encode("utf-8", "surrogateescape"))
    return text


def path_octets(text):
    path = re.sub(rb"%([0-9A-F]{2})", lambda m: bytes.fromhex(m[1].decode()), text.encode())
    demand(path_text(path) == text, "path")
    demand(not {b"", b".", b".."} & set(path.split(b"/")) and b"\0" not in path, "path")
    return path


def leaf_of(value):
    closed(value, ["path", "size", "digest"])
    digest(value["digest"]), integer(value["size"], 0)
    return path_octets(value["path"])


def tree(leaves, hashed):
    if len(leaves) == 1:
        return hashed(b"\0" + leaves[0]).digest()
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return hashed(b"\1" + tree(leaves[:k], hashed) + tree(leaves[k:], hashed)).digest()


def climb(leaf, index, size, path, hashed):
    """The root by an inclusion path, as in RFC 9162, section 2.1.3.2."""
    demand(index < size, "index")
    fn, sn, r = index, size - 1, hashed(b"\0" + leaf).digest()
    for p in path:
        demand(sn != 0, "path")
        if fn & 1 or fn == sn:
            r = hashed(b"\1" + p + r).digest()
            while not fn & 1 and fn != 0:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = hashed(b"\1" + r + p).digest()
        fn, sn = fn >> 1, sn >> 1
    demand(sn == 0, "path")
    return r


def seal(case, pins):
    s = opened(document((case / "seal.json").read_bytes(), 65536), pins)
    hashed, root = HASHES[s["hash"]], bytes.fromhex(s["root"])
    leaves = None
    if (case / "leaves.ndjson").exists():
        lines = (case / "leaves.ndjson").read_bytes().split(b"\n")
        demand(lines.pop() == b"" and len(lines) == s["objects"], "leaves")
        values = [document(line + b"\n", 65536) for line in lines]
        paths = [leaf_of(v) for v in values]
        demand(paths == sorted(set(paths)) and sum(v["size"] for v in values) == s["octets"], "leaves")
        demand(tree(lines, hashed) == root, "root")
    if (case / "archive").exists():
        files = {str(f.relative_to(case / "archive")).encode(): f.read_bytes()
                 for f in (case / "archive").rglob("*") if f.is_file()}
        leaves = [canonical({"path": path_text(p), "size": len(files[p]), "digest": hashed(files[p]).hexdigest()})
                  for p in sorted(files)]
        demand(len(leaves) == s["objects"] and sum(map(len, files.values())) == s["octets"], "archive")
        demand(tree(leaves, hashed) == root, "archive")


def proof(case, pins):
    p = closed(document((case / "proof.json").read_bytes(), 196608), ["protocol", "index", "inclusion", "leaf", "seal"])
    demand(p["protocol"] == "svc.archive-object-proof.v1")
    s = opened(p["seal"], pins)
    leaf_of(p["leaf"])
    demand(len(p["inclusion"]) <= 53)
    hashed = HASHES[s["hash"]]
    root = climb(canonical(p["leaf"]), integer(p["index"], 0), s["objects"], [digest(h) for h in p["inclusion"]], hashed)
    demand(root.hex() == s["root"], "root")
    content = (case / "object").read_bytes()
    demand(len(content) == p["leaf"]["size"] and hashed(content).hexdigest() == p["leaf"]["digest"], "object")


def verdict(judge, *args):
    try:
        judge(*args)
    except (Refused, ValueError, TypeError, KeyError) as e:
        return "refused: %s" % e
    return "verified"


def sign(ed_seed, ml_seed, statement):
    """The envelope of a statement, whose signer is filled in."""
    ed = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(ed_seed))
    ml = MLDSA65PrivateKey.from_seed_bytes(bytes.fromhex(ml_seed))
    publics = [k.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw) for k in (ed, ml)]
    statement["signer"] = dict(zip(["ed25519", "ml_dsa_65"], [hashlib.sha512(k).hexdigest() for k in publics]))
    signed = message(statement["signer"], statement["protocol"], canonical(statement))
    text = lambda b: base64.urlsafe_b64encode(b).rstrip(b"=").decode()
    return {"signatures": {"ed25519": text(ed.sign(signed)), "ml_dsa_65": text(ml.sign(signed, DOMAIN))},
            "statement": statement}


def main():
    command, *args = sys.argv[1:]
    if command == "check":
        for case in sorted(Path(args[0]).iterdir()):
            pins = json.loads((case / "seal-trust.json").read_bytes())
            judge = proof if (case / "proof.json").exists() else seal
            print(case.name, verdict(judge, case, pins))
    elif command == "sign":
        envelope = sign(args[0], args[1], json.loads(Path(args[2]).read_bytes()))
        Path(args[3]).write_bytes(canonical(envelope) + b"\n")
    elif command == "verify":
        pins = json.loads(Path(args[0]).read_bytes())
        answer = verdict(lambda: opened(document(Path(args[1]).read_bytes(), 65536), pins))
        print(answer)
        sys.exit(answer != "verified")


if __name__ == "__main__":
    main()
