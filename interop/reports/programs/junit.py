# Reads a JUnit file with junitparser, and prints what it says of itself and what it has.
import json
import sys

from junitparser import Error, Failure, JUnitXml, Skipped

document = JUnitXml.fromfile(sys.argv[1])
cases = [case for suite in document for case in suite]
of = lambda kind: sum(any(isinstance(r, kind) for r in case.result) for case in cases)
print(json.dumps({
    "tests": [document.tests, len(cases)],
    "failures": [document.failures, of(Failure)],
    "errors": [document.errors, of(Error)],
    "skipped": [sum(suite.skipped for suite in document), of(Skipped)],
    "names": [len({(case.classname, case.name) for case in cases}), len(cases)],
}))
