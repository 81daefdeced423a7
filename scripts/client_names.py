#!/usr/bin/env python3
"""Prints the public names of CloudKit that FanfareCloudKit lacks. docs/client-library.md has their list, with the reasons.

    scripts/client_names.py FOLDER...

A folder has a copy of CloudKit's declarations, of which public ones have three forms: Swift interfaces of an SDK
(CloudKit.swiftinterface), pages of Apple's documentation as Markdown with their declarations, and bindings of the
headers for Rust (objc2-cloud-kit), which have the types, properties and cases by their Objective-C names. Nothing of a
copy is kept. Build first: the names here come from the built module.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parent.parent
# Members that the compiler or Objective-C's runtime makes, and what every class of Foundation's has.
made = re.compile(
    r"^(!=|==|<|hash\(into:\)|hashValue|rawValue|init\(rawValue:\)|init\(\)|init\(coder:\)|description|debugDescription|"
    r"encode\(with:\)|RawValue|_?nsError|errorDomain|~=|init\(from:\)|encode\(to:\)|init\(_nsError:\)|new|init|"
    r"localizedDescription|errorCode|errorUserInfo|userInfo|==\(_:_:\)|!=\(_:_:\)|~=\(_:_:\))$")

# Names that the import to Swift changes by more than a split.
renamed = {
    "addOperation:", "databaseWithDatabaseScope:", "defaultContainer", "defaultRecordZone", "standardOptions",
    "notificationFromRemoteNotificationDictionary:", "encodeSystemFieldsWithCoder:", "objectForKeyedSubscript:",
    "referenceAction", "fetchShareMetadataWithURL:completionHandler:", "objectForKeyedSubscript",
    # The header takes these of NSSortDescriptor away.
    "initWithKey:ascending:", "initWithKey:ascending:comparator:", "initWithKey:ascending:selector:",
    "sortDescriptorWithKey:ascending:", "sortDescriptorWithKey:ascending:comparator:",
    "sortDescriptorWithKey:ascending:selector:",
    # Swift has a form with a result for each of these.
    "perRecordZoneCompletionBlock", "perShareParticipantCompletionBlock", "perSubscriptionCompletionBlock",
    # Swift has these within their classes.
    "CKFetchRecordZoneChangesConfiguration", "CKOperationConfiguration", "CKRecordZoneEncryptionScope",
}


def declared(text):
    """The name of a declaration with its labels, such as `save(_:)`; None if it declares none."""
    text = re.sub(r"@[\w.]+(\([^)]*\))?\s*|\b(class|static) (?=func|var|let)", "", text)
    found = re.search(r"\b(func|init|subscript|var|let|case|class|struct|enum|protocol|typealias)\b[?!]?\s*(`?[\w]*`?)", text)
    if not found:
        return None
    kind, name = found.group(1), found.group(2).strip("`")
    if kind in ("init", "subscript"):
        name = kind
    rest = text[found.end():].lstrip("?!")
    if kind == "case":
        return name
    if kind not in ("func", "init", "subscript"):
        return name
    rest = re.sub(r"^\s*<[^(]*?>(?=\s*\()", "", rest).lstrip()
    if not rest.startswith("("):
        return name
    depth, part, parts = 0, "", []
    for character in rest:
        if character in "([<{":
            depth += 1
            if depth == 1:
                continue
        if character in ")]>}" and not part.endswith("-"):
            depth -= 1
            if depth == 0:
                break
        if character == "," and depth == 1:
            parts.append(part)
            part = ""
        else:
            part += character
    parts.append(part)
    labels = [p.split(":")[0].split()[0] for p in parts if ":" in p]
    if kind == "subscript":
        labels = ["_" if len(p.split(":")[0].split()) == 1 else label for p, label in zip(parts, labels)]
    # Pages lose a part of long types, so that more seems to follow.
    labels = labels[:labels.index("completionHandler") + 1] if "completionHandler" in labels else labels
    return f"{name}({''.join(label + ':' for label in labels)})"


def ours():
    """Our names by type, the aliases of types, and the classes above them."""
    modules = root / ".build/debug/Modules"
    target = json.loads(subprocess.check_output(["swift", "-print-target-info"]))["target"]["triple"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.check_call(
            ["swift", "symbolgraph-extract", "-module-name", "FanfareCloudKit", "-I", modules, "-target", target,
             "-minimum-access-level", "public", "-output-dir", folder])
        graphs = [json.loads(path.read_text()) for path in Path(folder).glob("*.json")]
    names, aliases, above, ids = {}, {}, {}, {}
    for graph in graphs:
        for symbol in graph["symbols"]:
            path = symbol["pathComponents"]
            ids[symbol["identifier"]["precise"]] = ".".join(path)
            names.setdefault(".".join(path[:-1]), set()).add(path[-1])
            if symbol["kind"]["identifier"] == "swift.typealias":
                text = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
                aliases[".".join(path)] = text.split("=")[-1].strip()
    for graph in graphs:
        for relation in graph["relationships"]:
            if relation["kind"] in ("inheritsFrom", "conformsTo"):
                lower, upper = ids.get(relation["source"]), ids.get(relation["target"])
                if lower and upper:
                    above.setdefault(lower, []).append(upper)
    return names, aliases, above


def interfaces(path):
    """The names of a Swift interface: (type, name)."""
    types = []
    for line in path.read_text(errors="replace").splitlines():
        stripped = line.strip()
        depth = (len(line) - len(line.lstrip())) // 2
        types = types[:depth]
        opened = re.match(r"(?:@\S+\s+)*(?:public |open |final |indirect )*(?:extension|class|struct|enum|protocol) ([\w.]+)",
                          stripped)
        if opened and stripped.endswith("{"):
            name = re.sub(r"^CloudKit\.", "", opened.group(1))
            if not stripped.split("{")[0].strip().startswith(("extension", "@available")) or "extension" not in stripped:
                yield ".".join(types), name
            types.append(name)
        elif re.search(r"\b(public|open|case)\b", stripped) and not stripped.startswith("//"):
            name = declared(stripped)
            if name:
                yield ".".join(types), name


def pages(path):
    """The names of a page of documentation: (type, name)."""
    text = path.read_text(errors="replace")
    crumbs = [re.sub(r"\\", "", line[2:].replace(" Deprecated", "").strip()) for line in text.splitlines()[:14] if line.startswith("- ")]
    if not crumbs or crumbs[0] != "CloudKit":
        return
    # A page within a group of pages of a type has the group among its crumbs.
    types = [crumb for crumb in crumbs[1:-1] if re.match(r"CK\w+(\.\w+)*$", crumb)]
    parent = types[-1] if types else ""
    for block in re.findall(r"``` source\n(.*?)```", text, re.S):
        name = declared(block)
        if not name:
            continue
        whole = crumbs[-1]
        if re.search(r"\b(class|struct|enum|protocol)\b (?!func|var|let)", block.split("{")[0]):
            outer, _, name = whole.rpartition(".") if "." in whole else ("", "", whole)
            yield outer, name
        elif re.search(r"\btypealias\b", block) and "." in whole:
            outer, _, name = whole.rpartition(".")
            yield outer, name
        else:
            yield parent, name


def bindings(path):
    """The names of bindings for Rust: (type, property or case)."""
    # Swift has types of its own for the sync engine, which the headers refine.
    if path.name.startswith("CKSyncEngine"):
        return
    text = path.read_text(errors="replace")
    for name in re.findall(r"pub struct (CK\w+)", text):
        yield "", name
    for block in re.finditer(r"^impl(?:<[^>]*>)? (CK\w+)(?:<[^>]*>)? \{\n(.*?)^\}", text, re.S | re.M):
        kind, body = block.groups()
        for name in re.findall(r"pub const (\w+): Self", body):
            yield kind, re.sub("^(?:k?)([A-Z])", lambda match: match.group(1).lower(), name)
        setters = set(re.findall(r"method\(set(\w+):\)", body))
        for name in re.findall(r"method\((\w+)\)\)", body):
            if name[0].upper() + name[1:] in setters or re.search(rf"fn {name}\(\s*(&self)?,?\s*\) -> ", body):
                yield kind, name
        # A method with arguments is as good as ours if all words of one are words of the other.
        for name in re.findall(r"method\((\w+:[\w:]*)\)\)", body):
            if not name.startswith("set"):
                yield kind, name


def flat(name):
    """A name as it is compared: cases have no labels in some copies."""
    return name.replace("`", "").lower()


def agree(name, own):
    """True if a name is one of ours, which may have more parameters with defaults, or is a case with values."""
    if name.endswith(":"):
        words = [set(re.findall("[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text.replace("With", "").replace("`", ""))) for text in (own, name)]
        words = [{word.lower() for word in some} - {"with", "for"} for some in words]
        return own[:4] == name[:4] and (words[0] <= words[1] or words[1] <= words[0])
    mine, theirs = flat(own), flat(name)
    return mine in (theirs, f"is{theirs}") or mine.startswith(theirs.removesuffix(")")) and theirs.endswith(":)") or (
        "(" not in theirs and mine.startswith(f"{theirs}("))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    names, aliases, above = ours()

    def canonical(kind):
        parts, path = kind.split(".") if kind else [], ""
        for part in parts:
            path = f"{path}.{part}" if path else part
            seen = set()
            while path in aliases and path not in seen:
                seen.add(path)
                path = aliases[path]
        return path

    def has(kind, name, seen=()):
        kind = canonical(kind)
        own = names.get(kind, set())
        if any(agree(name, one) for one in own) or canonical(f"{kind}.{name}" if kind else name) in names:
            return True
        return any(has(upper, name, (*seen, kind)) for upper in above.get(kind, []) if upper not in seen)

    absent, count = set(), set()
    for folder in map(Path, sys.argv[1:]):
        files = [folder] if folder.is_file() else sorted(folder.rglob("*"))
        readers = {".swiftinterface": interfaces, ".md": pages, ".rs": bindings}
        for path in files:
            for kind, name in readers.get(path.suffix, lambda _: ())(path) if path.is_file() else ():
                if made.match(name) or name.startswith("_") or path.suffix == ".rs" and {kind, name} & renamed:
                    continue
                count.add((kind, name))
                if not has(kind, name):
                    absent.add((kind, name))
    types = {name if not kind else f"{kind}.{name}" for kind, name in absent}
    for kind, name in sorted(absent):
        # The members of an absent type go without saying.
        if not any(kind == one or kind.startswith(one + ".") for one in types):
            print(f"{kind}.{name}" if kind else name)
    print(f"{len(absent)} of {len(count)} names are absent", file=sys.stderr)


main()
