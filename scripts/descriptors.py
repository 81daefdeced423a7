"""Reads what `protoc --descriptor_set_out --include_source_info` writes, without the protobuf package.

Only the parts that generate-messages needs; the numbers are those of google/protobuf/descriptor.proto.
"""
import os
import subprocess
import tempfile
from dataclasses import dataclass, field

FLOAT, INT32, FIXED32, STRING, GROUP, MESSAGE, BYTES, ENUM, SFIXED32 = 2, 5, 7, 9, 10, 11, 12, 14, 15
REPEATED = 3


class Fault(Exception):
    """Something in a .proto file that the generator does not do."""


@dataclass
class Field:
    name: str
    number: int
    type: int
    repeated: bool
    type_name: str
    optional: bool
    oneof: int | None
    packed: bool | None
    comment: str


@dataclass
class Message:
    file: str
    full_name: str
    path: list[str]
    comment: str
    fields: list[Field]
    oneofs: list[tuple[str, str]]
    messages: list["Message"]
    enums: list["Enum"]
    is_map_entry: bool


@dataclass
class Enum:
    file: str
    full_name: str
    path: list[str]
    comment: str
    values: list[tuple[str, int, str]]


@dataclass
class File:
    name: str
    messages: list[Message] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)


def files(paths):
    """The descriptors of all given files and of what they import, as {name: File}; and the names of the given ones."""
    folders = list(dict.fromkeys(os.path.dirname(os.path.abspath(path)) for path in paths))
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "descriptors")
        command = ["protoc", "--include_source_info", "--include_imports", "--descriptor_set_out=" + output]
        command += ["--proto_path=" + folder for folder in folders] + [os.path.abspath(path) for path in paths]
        if subprocess.run(command).returncode != 0:
            raise Fault("protoc refused the files")
        with open(output, "rb") as stream:
            parsed = [_file(body) for body in _fields(stream.read()).get(1, [])]
    return {file.name: file for file in parsed}, [os.path.basename(path) for path in paths]


def _varint(data, position):
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


def _fields(data):
    """A message as {field number: [values]}; protoc wrote it, so it is taken as well-formed."""
    found, position = {}, 0
    while position < len(data):
        tag, position = _varint(data, position)
        if tag & 7 == 0:
            value, position = _varint(data, position)
        else:
            length, position = {1: (8, position), 5: (4, position)}.get(tag & 7) or _varint(data, position)
            value, position = data[position : position + length], position + length
        found.setdefault(tag >> 3, []).append(value)
    return found


def _one(message, number, default=None):
    return message.get(number, [default])[-1]


def _text(message, number):
    return _one(message, number, b"").decode()


def _signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def _numbers(data):
    numbers, position = [], 0
    while position < len(data):
        number, position = _varint(data, position)
        numbers.append(number)
    return tuple(numbers)


def _comments(body):
    """The comment at each path of a file: the one before the declaration, else the one after it on its line."""
    found = {}
    for location in map(_fields, _fields(_one(body, 9, b"")).get(1, [])):
        comment = _text(location, 3) or _text(location, 4)
        if comment:
            found[_numbers(_one(location, 1, b""))] = comment
    return found


def _file(data):
    body = _fields(data)
    name, package = _text(body, 1), _text(body, 2)
    if _text(body, 12) != "proto3":
        raise Fault(f'{name}: only syntax = "proto3" is read')
    for number, what in ((6, "services"), (7, "extensions")):
        if number in body:
            raise Fault(f"{name}: {what} are not supported")
    comments = _comments(body)
    prefix = f".{package}" if package else ""
    file = File(name)
    for index, message in enumerate(body.get(4, [])):
        file.messages.append(_message(message, name, prefix, [], comments, (4, index)))
    for index, enum in enumerate(body.get(5, [])):
        file.enums.append(_enum(enum, name, prefix, [], comments, (5, index)))
    return file


def _message(data, file, prefix, outer, comments, place):
    body = _fields(data)
    path = outer + [_text(body, 1)]
    full_name = f"{prefix}.{path[-1]}"
    for number, what in ((5, "extension ranges"), (6, "extensions")):
        if number in body:
            raise Fault(f"{file}: message {'.'.join(path)}: {what} are not supported")
    oneofs = [
        (_text(_fields(oneof), 1), comments.get(place + (8, index), "")) for index, oneof in enumerate(body.get(8, []))
    ]
    return Message(
        file=file,
        full_name=full_name,
        path=path,
        comment=comments.get(place, ""),
        fields=[_field(item, comments.get(place + (2, index), "")) for index, item in enumerate(body.get(2, []))],
        oneofs=oneofs,
        messages=[
            _message(item, file, full_name, path, comments, place + (3, index))
            for index, item in enumerate(body.get(3, []))
        ],
        enums=[
            _enum(item, file, full_name, path, comments, place + (4, index))
            for index, item in enumerate(body.get(4, []))
        ],
        is_map_entry=bool(_one(_fields(_one(body, 7, b"")), 7, 0)),
    )


def _field(data, comment):
    body = _fields(data)
    packed = _one(_fields(_one(body, 8, b"")), 2)
    optional = bool(_one(body, 17, 0))
    return Field(
        name=_text(body, 1),
        number=_one(body, 3),
        type=_one(body, 5),
        repeated=_one(body, 4) == REPEATED,
        type_name=_text(body, 6),
        optional=optional,
        # protoc wraps each `optional` field in a oneof of its own, which is none of the author's.
        oneof=None if optional else _one(body, 9),
        packed=None if packed is None else bool(packed),
        comment=comment,
    )


def _enum(data, file, prefix, outer, comments, place):
    body = _fields(data)
    path = outer + [_text(body, 1)]
    values = []
    for index, value in enumerate(map(_fields, body.get(2, []))):
        values.append((_text(value, 1), _signed(_one(value, 2, 0)), comments.get(place + (2, index), "")))
    if len({number for _, number, _ in values}) < len(values):
        raise Fault(f"{file}: enum {'.'.join(path)}: two names for one number are not supported")
    return Enum(file, f"{prefix}.{path[-1]}", path, comments.get(place, ""), values)
