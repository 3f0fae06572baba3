"""Writes a journal as a table, by the libraries of Python: tables.py FORM IN OUT."""
import datetime
import json
import sys

form, source, out = sys.argv[1], sys.argv[2], sys.argv[3]
lines = open(source, encoding="utf-8", newline="\n").read().split("\n")[:-1]
events = [json.loads(line) for line in lines]
at = datetime.datetime(2026, 3, 2, 9, tzinfo=datetime.timezone.utc)
rows = [{"id": n + 1, "at": at + datetime.timedelta(milliseconds=n), "line": line} for n, line in enumerate(lines)]


def table():
    import pyarrow as pa
    return pa.Table.from_pylist(rows)


def parquet(name="audit.parquet", content=None, **options):
    import pyarrow.parquet as pq
    pq.write_table(table() if content is None else content, f"{out}/{name}", **options)


def with_type(kind, values):
    import pyarrow as pa
    return pa.table({"id": list(range(len(values))), "line": pa.array(values, kind)})


def parquet_forms(codec):
    import pyarrow as pa
    octets = [line.encode() for line in lines]
    headers = [[("content-type", "application/json"), ("x", "1")] for _ in lines]
    match codec:
        case "binary":
            parquet(content=with_type(pa.binary(), octets))
        case "large":
            parquet(content=with_type(pa.large_string(), lines))
        case "dictionary":
            parquet(content=with_type(pa.string(), lines), use_dictionary=True)
        case "plain":
            parquet(use_dictionary=False, compression="none")
        case "pages":
            parquet(data_page_version="2.0", data_page_size=2000, row_group_size=7, use_dictionary=False)
        case "delta":
            parquet(use_dictionary=False, column_encoding={
                "line": "DELTA_BYTE_ARRAY", "id": "DELTA_BINARY_PACKED", "at": "PLAIN"})
        case "delta-lengths":
            parquet(use_dictionary=False, column_encoding={
                "line": "DELTA_LENGTH_BYTE_ARRAY", "id": "PLAIN", "at": "PLAIN"})
        case "nested":
            parquet(content=pa.table({"body": [{"log": {"line": line, "tags": ["a", "b"]}} for line in lines],
                                      "headers": pa.array(headers, pa.map_(pa.string(), pa.string()))}))
        case "event":
            flat = [{**event, "body": json.dumps(event["body"], ensure_ascii=False)} for event in events]
            parquet(content=pa.Table.from_pylist(flat))
        case "nulls":
            parquet(content=with_type(pa.string(), [None, *lines, None]))
        case "dataset":
            import pyarrow.dataset as ds
            parts = pa.table({"day": [f"2026-03-0{1 + n % 3}" for n in range(len(lines))], "line": lines})
            ds.write_dataset(parts, out, format="parquet", partitioning=["day"], partitioning_flavor="hive")
        case _:
            parquet(compression=codec)


def avro(codec, kind="string"):
    import fastavro
    fields = [{"name": "id", "type": "long"},
              {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}}]
    records = rows
    match kind:
        case "nested":
            fields = [{"name": "headers", "type": {"type": "map", "values": "string"}},
                      {"name": "value", "type": {"type": "record", "name": "Value", "fields": [
                          {"name": "line", "type": ["null", "string"]},
                          {"name": "tags", "type": {"type": "array", "items": "string"}}]}}]
            records = [{"headers": {"content-type": "application/json"}, "value": {"line": line, "tags": ["a"]}}
                       for line in lines]
        case "bytes":
            fields.append({"name": "line", "type": "bytes"})
            records = [{**row, "line": row["line"].encode()} for row in rows]
        case "union":
            fields.append({"name": "line", "type": ["null", "bytes", "string"]})
        case _:
            fields.append({"name": "line", "type": "string"})
    schema = fastavro.parse_schema({"type": "record", "name": "Audit", "fields": fields})
    with open(f"{out}/audit.avro", "wb") as file:
        fastavro.writer(file, schema, records, codec=codec, sync_interval=4000)


def duck(statement):
    import duckdb
    with duckdb.connect(f"{out}/../audit.duckdb") as c:
        c.execute("CREATE TABLE audit(id INTEGER, received TIMESTAMP, line VARCHAR)")
        c.executemany("INSERT INTO audit VALUES (?, ?, ?)",
                      [(r["id"], r["at"].replace(tzinfo=None), r["line"]) for r in rows])
        c.execute("CREATE TABLE docs AS SELECT id, line::JSON AS doc FROM audit")
        c.execute(statement.replace("OUT", out))


def workbook(kind):
    import openpyxl
    book = openpyxl.Workbook(write_only=kind == "write-only")
    sheet = book.create_sheet("audit")
    sheet.append(["id", "at", "line"])
    for row in rows:
        # A cell cannot hold control characters, and the JSON escapes them.
        sheet.append([row["id"], row["at"].replace(tzinfo=None), row["line"]])
    book.save(f"{out}/audit.xlsx")


def arrow(kind):
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.orc
    match kind:
        case "feather":
            pyarrow.feather.write_feather(table(), f"{out}/audit.feather", compression="lz4")
        case "ipc":
            with pa.ipc.new_stream(f"{out}/audit.arrows", table().schema) as writer:
                writer.write_table(table())
        case "orc":
            pyarrow.orc.write_table(table(), f"{out}/audit.orc", compression="zlib")
        case "csv":
            import pyarrow.csv
            pyarrow.csv.write_csv(table(), f"{out}/audit.csv")


def main():
    kind, _, rest = form.partition(":")
    match kind:
        case "parquet":
            parquet_forms(rest)
        case "avro":
            avro(*rest.split(":"))
        case "duckdb":
            duck(rest)
        case "duckdb-file":
            duck("CHECKPOINT")
            import shutil
            shutil.move(f"{out}/../audit.duckdb", f"{out}/audit.duckdb")
        case "xlsx":
            workbook(rest)
        case "arrow":
            arrow(rest)
        case _:
            raise SystemExit(f"no form {form}")


main()
