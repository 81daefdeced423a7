"""Records in the form of `fanfare import`, which the converters of other systems' data write."""
import base64
import json
import re
import sys

INT64 = range(-(1 << 63), 1 << 63)


def field(kind, value):
    """A field; None for a value that is none."""
    return None if value is None else {"value": value, "type": kind}


def file_field(contents):
    """A field with one file, or with several."""
    files = [{"size": len(content), "content": base64.b64encode(content).decode()} for content in contents]
    return field("ASSETID", files[0]) if len(files) == 1 else field("ASSETID_LIST", files)


def reference(name):
    return {"recordName": name, "action": "NONE"}


def field_name(name):
    """The name as CloudKit allows it: a letter, then letters, digits and underscores."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return name if re.match(r"[A-Za-z]", name) else "f" + name


def guessed(value, is_double=False):
    """The field of a JSON value. What CloudKit has no type for is JSON as a text."""
    match value:
        case None:
            return None
        case bool():
            return field("INT64", int(value))
        case int() if not is_double and value in INT64:
            return field("INT64", value)
        case int() | float():
            return field("DOUBLE", float(value))
        case str():
            return field("STRING", value)
        case list() if value and all(isinstance(element, str) for element in value):
            return field("STRING_LIST", value)
        case []:
            return None
    return field("STRING", json.dumps(value, ensure_ascii=False, sort_keys=True))


class Writer:
    """Writes a line for each record, and counts them."""

    def __init__(self, file=sys.stdout):
        self.file, self.count = file, 0

    def write(self, record_type, name, fields):
        present = {field_name(key): value for key, value in fields.items() if value is not None}
        if len(present) < sum(value is not None for value in fields.values()):
            raise ValueError(f"{name}: two fields have the same name after the change of their letters: {sorted(fields)}")
        line = {"recordName": name, "recordType": record_type, "fields": present}
        print(json.dumps(line, ensure_ascii=False), file=self.file)
        self.count += 1


def main(convert, document):
    """Runs a converter of command-line arguments; what it refuses is a line on standard error and the exit code 1."""
    try:
        print(f"{convert(sys.argv[1:])} records", file=sys.stderr)
    except (OSError, ValueError, KeyError) as error:
        what = f"has no {error}" if isinstance(error, KeyError) else str(error)
        sys.exit(f"{sys.argv[0].rsplit('/', 1)[-1]}: {what}\n\n{document.strip()}")
