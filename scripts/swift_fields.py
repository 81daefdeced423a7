"""What a field or an enumeration of a .proto file is in Swift, for generate-messages."""
import re

from descriptors import BYTES, ENUM, FIXED32, FLOAT, GROUP, MESSAGE, SFIXED32, STRING, Fault

# Descriptor type: (Swift type, its name in Wire).
SCALARS = {
    1: ("Double", "Double"),
    3: ("Int64", "Int64"),
    4: ("UInt64", "UInt64"),
    5: ("Int32", "Int32"),
    6: ("UInt64", "Fixed64"),
    8: ("Bool", "Bool"),
    13: ("UInt32", "UInt32"),
    16: ("Int64", "SFixed64"),
    17: ("Int32", "SInt32"),
    18: ("Int64", "SInt64"),
}
REFUSED = {FLOAT: "float (use double)", FIXED32: "fixed32 (use uint32)", SFIXED32: "sfixed32 (use sint32)", GROUP: "group"}
TYPES_IN_USE = set(
    "Wire MessageReader MessageWriter MessageMap MessageError WireMessage WireEnumeration Indirect String UInt8 "
    "Type Protocol Self Any Optional Array".split()
) | {swift for swift, _ in SCALARS.values()}
KEYWORDS = set(
    "as associatedtype break case catch class continue default defer deinit do else enum extension fallthrough false "
    "fileprivate for func guard if import in init inout internal is let nil operator package precedencegroup private "
    "protocol public repeat rethrows return static struct subscript super switch throw throws true try typealias var "
    "where while Any Self".split()
)


def lower_camel(name):
    """A field's name in Swift: as it stands, words joined where underscores part them."""
    if "_" not in name:
        return name
    head, *words = [word for word in name.split("_") if word]
    return head + "".join(word[:1].upper() + word[1:] for word in words)


def quoted(name):
    return f"`{name}`" if name in KEYWORDS else name


def documentation(comment, indent):
    """A comment of the .proto file as one of Swift; nothing without one."""
    lines = [re.sub(r"^ ", "", line).rstrip() for line in comment.rstrip().split("\n")] if comment.strip() else []
    while lines and not lines[0]:
        lines.pop(0)
    return "".join(f"{indent}/// {line}".rstrip() + "\n" for line in lines)


class Swift:
    """The Swift form of one field: its type, what it is by default, and how it is read and written."""

    def __init__(self, field, types, where):
        self.field, self.name = field, lower_camel(field.name)
        if self.name == "self":
            raise Fault(f"{where}: no Swift property can be named self")
        if field.type in REFUSED:
            raise Fault(f"{where}: {REFUSED[field.type]} is not supported")
        if field.packed is False:
            raise Fault(f"{where}: packed = false is not supported")
        self.target = types.get(field.type_name)
        if field.type in (MESSAGE, ENUM) and self.target is None:
            raise Fault(f"{where}: {field.type_name[1:]} is in no file that was given")
        self.boxed = False
        self.map_value = None
        if field.type == MESSAGE and self.target.is_map_entry:
            key, value = self.target.fields
            if key.type != STRING:
                raise Fault(f"{where}: only map<string, …> is supported")
            self.map_value = Swift(value, types, where)
            return
        self.type = (
            ".".join(self.target.path)
            if self.target
            else {STRING: "String", BYTES: "[UInt8]"}.get(field.type) or SCALARS[field.type][0]
        )
        self.wire = f"Wire.Enumeration<{self.type}>.self" if field.type == ENUM else None
        if field.type in SCALARS:
            self.wire = f"Wire.{SCALARS[field.type][1]}.self"

    @property
    def single_message(self):
        return self.field.type == MESSAGE and not self.field.repeated

    def unset(self):
        """The default of the bare type."""
        if self.field.type == ENUM:
            return "." + quoted(case_names(self.target)[0][0])
        if self.field.type == MESSAGE:
            return f"{self.type}()"
        return {"String": '""', "[UInt8]": "[]", "Bool": "false"}.get(self.type, "0")

    def property(self):
        """(type, default) of the stored property."""
        if self.map_value:
            return f"MessageMap<{self.map_value.type}>", "[:]"
        if self.field.repeated:
            return f"[{self.type}]", "[]"
        if self.field.optional or self.field.type == MESSAGE:
            return f"{self.type}?", "nil"
        return self.type, self.unset()

    def reading(self, reader="reader"):
        """The expression that reads one value that is no message."""
        if self.wire:
            return f"try {reader}.read({self.wire})"
        return f"try {reader}.{'string' if self.type == 'String' else 'bytes'}()"

    def writing(self, value, number=None, writer="writer"):
        """The statement that writes one value, whatever it is."""
        scalar = f", as: {self.wire}" if self.wire else ""
        return f"{writer}.write({value}{scalar}, field: {number or self.field.number})"

    def is_set(self):
        name = "self." + quoted(self.name)
        if self.type in ("String", "[UInt8]"):
            return f"!{name}.isEmpty"
        if self.type == "Bool":
            return name
        if self.field.type == ENUM:
            return f"{name}.rawValue != 0"
        return f"{name}.bitPattern != 0" if self.type == "Double" else f"{name} != 0"

    def encoding(self):
        """Lines that write the property."""
        name, number = "self." + quoted(self.name), self.field.number
        if self.map_value:
            return [
                f"for (key, value) in {name} {{",
                f"    writer.entry(key, field: {number}) {{ {self.map_value.writing('value', 2, '$0')} }}",
                "}",
            ]
        if self.field.repeated and self.wire:
            return [f"writer.write(packed: {name}, as: {self.wire}, field: {number})"]
        if self.field.repeated and self.field.type == MESSAGE:
            return [f"writer.write(each: {name}, field: {number})"]
        if self.field.repeated:
            return [f"for value in {name} {{ {self.writing('value')} }}"]
        if self.field.optional or self.field.type == MESSAGE:
            return [f"if let value = {name} {{ {self.writing('value')} }}"]
        return [f"if {self.is_set()} {{ {self.writing(name)} }}"]

    def decoding(self):
        """Lines that read the field into the property."""
        name = "self." + quoted(self.name)
        if self.map_value:
            value = self.map_value
            read = "try entry.read(into: &value)" if value.single_message else f"value = {value.reading('entry')}"
            return [
                f"try reader.read(into: &{name}, unset: {value.unset()}) {{ entry, value throws(MessageError) in",
                f"    {read}",
                "}",
            ]
        if self.field.repeated and self.wire:
            return [f"try reader.read({self.wire}, appendingTo: &{name})"]
        if self.field.type == MESSAGE:
            return [f"try reader.read({'appendingTo' if self.field.repeated else 'into'}: &{name})"]
        if self.field.repeated:
            return [f"{name}.append({self.reading()})"]
        return [f"{name} = {self.reading()}"]

    def decoding_into(self, oneof):
        """Lines that read the field into the property of its oneof."""
        case = "." + quoted(self.name)
        if not self.single_message:
            return [f"self.{oneof} = {case}({self.reading()})"]
        return [
            f"var value = {self.type}()",
            f"if case {case}(let current)? = self.{oneof} {{ value = current }}",
            "try reader.read(into: &value)",
            f"self.{oneof} = {case}(value)",
        ]


def case_names(enum):
    """(Swift case, name in the .proto, number, comment) of each value: the enum's name in front left out."""
    prefix = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", enum.path[-1]).upper() + "_"
    names = [name for name, _, _ in enum.values]
    if all(re.match(re.escape(prefix) + "[A-Z]", name) for name in names):
        names = [name[len(prefix) :] for name in names]
    names = [lower_camel(name.lower() if name.isupper() else name) for name in names]
    if len(set(names)) < len(names) or "unrecognized" in names:
        raise Fault(f"{enum.file}: enum {'.'.join(enum.path)}: two values would have one name in Swift")
    return [(name, *value) for name, value in zip(names, enum.values)]
