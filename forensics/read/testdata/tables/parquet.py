"""Writes the Parquet files of the tests. It needs pyarrow."""

import datetime
import decimal
import sys

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 20


def rows():
    for i in range(ROWS):
        yield {
            "Timestamp": datetime.datetime(2026, 3, 2, 9, 0, i, 123456),
            "Body": None if i == 7 else 'body %d "ü" \\' % i + "x" * i,
            "raw": bytes([0xFF, i]),
            "LogAttributes": [("x-svc-edge-audit-batch", "%064d" % (i // 4)), ("n", str(i))] if i != 3 else [],
            "tags": None if i == 1 else [] if i == 2 else [i, None, -i],
            "nested": [{"a": [1.5, 2.5][: i % 3], "b": i % 2 == 0}] * (i % 3) if i != 5 else None,
            "inner": {"x": {"y": i * 10**12 if i % 4 else None}} if i != 6 else None,
            "f": i / 4,
            "fx": b"abc",
            "d": decimal.Decimal("1.50"),
            "same": "always",
        }


def main(to):
    schema = pa.schema([
        ("Timestamp", pa.timestamp("us")),
        ("Body", pa.string()),
        ("raw", pa.binary()),
        ("LogAttributes", pa.map_(pa.string(), pa.string())),
        ("tags", pa.list_(pa.int32())),
        ("nested", pa.list_(pa.struct([("a", pa.list_(pa.float64())), ("b", pa.bool_())]))),
        ("inner", pa.struct([("x", pa.struct([("y", pa.int64())]))])),
        ("f", pa.float32()),
        ("fx", pa.binary(3)),
        ("d", pa.decimal128(5, 2)),
        ("same", pa.string()),
    ])
    table = pa.Table.from_pylist(list(rows()), schema=schema)
    delta = {"Timestamp": "DELTA_BINARY_PACKED", "Body": "DELTA_BYTE_ARRAY", "raw": "DELTA_LENGTH_BYTE_ARRAY",
             "f": "BYTE_STREAM_SPLIT", "fx": "DELTA_BYTE_ARRAY", "same": "DELTA_BYTE_ARRAY"}
    for name, options in {
        "none": {"compression": "NONE"},
        "snappy": {"compression": "SNAPPY", "row_group_size": 6},
        "gzip": {"compression": "GZIP", "data_page_version": "2.0", "data_page_size": 64},
        "zstd": {"compression": "ZSTD", "use_dictionary": False},
        "lz4": {"compression": "LZ4", "data_page_size": 64},
        "delta": {"compression": "NONE", "use_dictionary": False, "column_encoding": delta, "data_page_version": "2.0"},
        "int96": {"compression": "NONE", "use_deprecated_int96_timestamps": True},
        "old": {"compression": "SNAPPY", "version": "1.0", "use_compliant_nested_type": False},
    }.items():
        pq.write_table(table, f"{to}/{name}.parquet", write_statistics=False, store_schema=False, **options)


main(sys.argv[1])
