"""Does what a notebook does: one session, and calls of verify.

Reads the arguments of each call as a line of JSON, and writes its result as one. The
argument is the address of a Spark Connect server or of a master.
"""

import base64
import json
import sys

from pyspark.sql import SparkSession

from svc_verify_spark import Failed, verify

address = sys.argv[1]
builder = SparkSession.builder
session = (builder.remote(address) if address.startswith("sc:") else builder.master(address)).getOrCreate()
for line in sys.stdin:
    call = json.loads(line)
    try:
        verdict = verify(session, call.pop("paths"), **call)
        result = {"exit_code": verdict.exit_code, "json": base64.b64encode(verdict.json).decode(), "said": verdict.said}
    except Failed as failed:
        result = {"failed": str(failed)}
    except Exception as error:  # what Spark says after the last attempt
        result = {"error": str(error)}
    print(json.dumps(result), flush=True)
session.stop()
