"""Makes and validates bags with bagit: bags.py make FOLDER ALGORITHM..., or
bags.py validate FOLDER..., which prints a line of JSON for each folder."""

import json
import logging
import sys

import bagit

logging.disable(logging.CRITICAL)


def validate(folder):
    try:
        bagit.Bag(folder).validate()
        return ""
    except Exception as error:  # whatever it raises, it does not accept the bag
        return str(error) or type(error).__name__


command, *arguments = sys.argv[1:]
if command == "make":
    folder, *algorithms = arguments
    bagit.make_bag(folder, {"Contact-Name": "Ö. Xaver"}, checksums=algorithms or None)
else:
    for folder in arguments:
        print(json.dumps({"folder": folder, "error": validate(folder)}))
