"""Writes a journal as programs in Python do, by its own library: python.py FORM IN OUT."""
import ast
import base64
import bz2
import csv
import email.message
import email.policy
import gzip
import html
import io
import json
import logging
import logging.handlers
import lzma
import mailbox
import pickle
import plistlib
import pprint
import shlex
import sys
import tarfile
import urllib.parse
import xml.etree.ElementTree
import xml.sax.saxutils
import zipfile
import zlib

form, source, out = sys.argv[1], sys.argv[2], sys.argv[3]
octets = open(source, "rb").read()
lines = octets.decode().split("\n")[:-1]
events = [json.loads(line) for line in lines]
record = [{"n": n, "time": "2026-03-02T09:00:00Z", "line": line} for n, line in enumerate(lines)]


def write(name, content):
    with open(f"{out}/{name}", "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def joined(each):
    return "".join(each(line) + "\n" for line in lines)


def csv_of(header=True, **options):
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, ["n", "time", "line"], **options)
    if header:
        writer.writeheader()
    writer.writerows(record)
    write("audit.csv", file.getvalue())


def log_of(text, messages):
    logger = logging.getLogger("svc.edge")
    handler = logging.FileHandler(f"{out}/app.log", encoding="utf-8")
    handler.setFormatter(text)
    logger.addHandler(handler)
    logger.setLevel("INFO")
    for message in messages:
        logger.info("%s", message)


class JSONFormatter(logging.Formatter):
    """One JSON object a record, as many services write."""

    def format(self, r):
        return json.dumps({"asctime": self.formatTime(r), "levelname": r.levelname, "message": r.getMessage()})


def mail(encoding, attached=False):
    m = email.message.EmailMessage(policy=email.policy.SMTP)
    m["From"], m["To"], m["Subject"] = "a@example.com", "b@example.com", "The journal, as asked for"
    m["Date"] = "Mon, 02 Mar 2026 09:00:00 +0000"
    if attached:
        m.set_content("See the file.")
        m.add_attachment(octets, maintype="application", subtype="x-ndjson", filename="journal.ndjson", cte=encoding)
    else:
        m.set_content(octets.decode(), cte=encoding)
    return m


def xml_of(attribute):
    root = xml.etree.ElementTree.Element("log")
    for line in lines:
        if attribute:
            xml.etree.ElementTree.SubElement(root, "entry", line=line)
        else:
            xml.etree.ElementTree.SubElement(root, "entry").text = line
    return xml.etree.ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def box():
    m = mailbox.mbox(f"{out}/inbox.mbox")
    for _ in range(2):
        m.add(mail("quoted-printable"))
    m.flush()


def archive(kind):
    if kind == "zip":
        with zipfile.ZipFile(f"{out}/logs.zip", "w", zipfile.ZIP_LZMA) as z:
            z.writestr("logs/journal.ndjson", octets)
    else:
        with tarfile.open(f"{out}/logs.tar.xz", "w:xz", format=tarfile.PAX_FORMAT) as t:
            t.add(source, arcname="logs/" + "journal-of-a-node-with-a-long-name-" * 4 + ".ndjson")


forms = {
    "json-list": lambda: write("a.json", json.dumps(events)),
    "json-indented": lambda: write("a.json", json.dumps(events, indent=4, ensure_ascii=False)),
    "json-lines": lambda: write("a.json", "".join(json.dumps(e) + "\n" for e in events)),
    "json-strings": lambda: write("a.json", json.dumps(lines)),
    "json-four-deep": lambda: write("a.json", joined(lambda x: json.dumps(json.dumps(json.dumps(json.dumps(x)))))),
    "repr": lambda: write("a.txt", repr(lines)),
    "repr-bytes": lambda: write("a.txt", joined(lambda line: repr(line.encode()))),
    "repr-record": lambda: write("a.txt", "".join(repr(r) + "\n" for r in record)),
    "repr-event": lambda: write("a.txt", "".join(repr(e) + "\n" for e in events)),
    "pprint": lambda: write("a.txt", pprint.pformat(record, width=10000)),
    "pprint-narrow": lambda: write("a.txt", pprint.pformat(record)),
    "csv-excel": csv_of,
    "csv-tabs": lambda: csv_of(dialect="excel-tab"),
    "csv-unix": lambda: csv_of(dialect="unix"),
    "csv-semicolons": lambda: csv_of(delimiter=";", quoting=csv.QUOTE_ALL),
    "csv-escaped": lambda: csv_of(quoting=csv.QUOTE_NONE, escapechar="\\"),
    "csv-apostrophes": lambda: csv_of(quotechar="'", header=False),
    "logging": lambda: log_of(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"), lines),
    "logging-bare": lambda: log_of(logging.Formatter(logging.BASIC_FORMAT), lines),
    "logging-json": lambda: log_of(JSONFormatter(), lines),
    "logging-repr": lambda: log_of(logging.Formatter("%(asctime)s %(message)s"), [{"event": line} for line in lines]),
    "mail": lambda: write("m.eml", bytes(mail("quoted-printable"))),
    "mail-base64": lambda: write("m.eml", bytes(mail("base64"))),
    "mail-attached": lambda: write("m.eml", bytes(mail("base64", True))),
    "mail-attached-quoted": lambda: write("m.eml", bytes(mail("quoted-printable", True))),
    "mbox": box,
    "html": lambda: write("a.html", "<pre>" + html.escape("\n".join(lines)) + "</pre>"),
    "xml": lambda: write("a.xml", xml_of(False)),
    "xml-attribute": lambda: write("a.xml", xml_of(True)),
    "xml-cdata": lambda: write("a.xml", "<log>" + joined(
        lambda x: "<e><![CDATA[" + x.replace("]]>", "]]]]><![CDATA[>") + "]]></e>") + "</log>"),
    "url": lambda: write("a.txt", joined(lambda line: "GET /?q=" + urllib.parse.quote_plus(line) + " HTTP/1.1")),
    "url-form": lambda: write("a.txt", urllib.parse.urlencode([("line", line) for line in lines])),
    "shell": lambda: write("a.sh", joined(lambda line: "echo " + shlex.quote(line))),
    "base64-lines": lambda: write("a.txt", joined(lambda line: base64.b64encode(line.encode()).decode())),
    "base64-url": lambda: write("a.txt", joined(
        lambda line: '{"data":"' + base64.urlsafe_b64encode(line.encode()).decode() + '"}')),
    "base64-mime": lambda: write("a.txt", base64.encodebytes(octets)),
    "gzip-base64": lambda: write("a.json", json.dumps(
        {"awslogs": {"data": base64.b64encode(gzip.compress(octets)).decode()}})),
    "hex": lambda: write("a.txt", joined(lambda line: "\\x" + line.encode().hex())),
    "gzip": lambda: write("a.gz", gzip.compress(octets)),
    "bz2": lambda: write("a.bz2", bz2.compress(octets)),
    "lzma": lambda: write("a.lzma", lzma.compress(octets, lzma.FORMAT_ALONE)),
    "xz": lambda: write("a.xz", lzma.compress(octets, check=lzma.CHECK_SHA256)),
    "zlib": lambda: write("a.z", zlib.compress(octets)),
    "zip-lzma": lambda: archive("zip"),
    "tar-pax": lambda: archive("tar"),
    "plist": lambda: write("a.plist", plistlib.dumps(record)),
    "plist-binary": lambda: write("a.plist", plistlib.dumps(record, fmt=plistlib.FMT_BINARY)),
    "pickle": lambda: write("a.pickle", pickle.dumps(record)),
}


def further():
    """The forms of libraries that are not Python's own."""
    import bson
    import bson.json_util
    import msgpack
    import snappy
    import yaml

    def framed():
        packed, plain = io.BytesIO(), io.BytesIO(octets)
        snappy.stream_compress(plain, packed)
        write("a.sz", packed.getvalue())

    return {
        "bson": lambda: write("a.bson", b"".join(
            bson.encode({"_id": bson.ObjectId(b"%012d" % r["n"]), **r}) for r in record)),
        "bson-event": lambda: write("a.bson", b"".join(bson.encode(e) for e in events)),
        "bson-binary": lambda: write("a.bson", b"".join(bson.encode({"raw": line.encode()}) for line in lines)),
        "mongoexport": lambda: write("a.json", "".join(bson.json_util.dumps(
            {"_id": bson.ObjectId(b"%012d" % r["n"]), **r},
            json_options=bson.json_util.RELAXED_JSON_OPTIONS) + "\n" for r in record)),
        "mongoexport-event": lambda: write("a.json", "".join(bson.json_util.dumps(
            e, json_options=bson.json_util.CANONICAL_JSON_OPTIONS) + "\n" for e in events)),
        "msgpack": lambda: write("a.msgpack", b"".join(msgpack.packb(r) for r in record)),
        "msgpack-event": lambda: write("a.msgpack", b"".join(msgpack.packb(e) for e in events)),
        "msgpack-fluent": lambda: write("a.msgpack", b"".join(
            msgpack.packb([msgpack.ExtType(0, (1772442012).to_bytes(4, "big") + r["n"].to_bytes(4, "big")), {"log": r["line"]}])
            for r in record)),
        "snappy": framed,
        "yaml": lambda: write("a.yaml", yaml.safe_dump(record, width=100000, allow_unicode=True)),
        "yaml-events": lambda: write("a.yaml", yaml.safe_dump(events)),
        "yaml-items": lambda: write("a.yaml", yaml.safe_dump(
            {"apiVersion": "v1", "items": [{"kind": "AuditEvent", "event": e} for e in events]}, width=100000)),
        "yaml-folded": lambda: write("a.yaml", yaml.safe_dump(record)),
        "yaml-documents": lambda: write("a.yaml", yaml.safe_dump_all(record, width=100000, default_style='"')),
    }


assert all(ast.literal_eval(repr(line)) == line for line in lines)
(forms[form] if form in forms else further()[form])()
