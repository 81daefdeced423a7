"""What the files are, without a browser: their bytes, and the contrast of each pair of tokens."""
import gzip, re
from console_world import FILES

GROUNDS = ("paper", "card", "row", "select")
PAIRS = [("ink", GROUNDS, 4.5), ("quiet", GROUNDS, 4.5), ("accent", GROUNDS, 4.5), ("on-accent", ("accent",), 4.5), ("production", GROUNDS, 4.5), ("on-production", ("production",), 4.5),
         ("edge", GROUNDS, 3)] + [(name, (*GROUNDS, f"{name}-paper"), 4.5) for name in ("good", "warn", "bad")] + [(name, GROUNDS, 4.5) for name in ("key", "number", "string")]


def tokens():
    """The two colours of each token, light and dark."""
    text = (FILES / "console.css").read_text()
    return {name: (light, dark) for name, light, dark in re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", text)}


def luminance(colour):
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def contrasts(results):
    found = tokens()
    for name, grounds, least in PAIRS:
        for ground in grounds:
            for scheme in (0, 1):
                value = contrast(found[name][scheme], found[ground][scheme])
                results.check(f"{name} on {ground} has a contrast of {least}, {('light', 'dark')[scheme]}", value >= least, value)


def first_page(*more):
    """The files of the first page: the index, what it names, and what those import at once; the overview; and `more`."""
    names, left = set(), ["index.html", "console.css", "icon.svg", "core/start.js", "pages/overview.js", *more]
    while left:
        name = left.pop()
        if name in names:
            continue
        names.add(name)
        text = (FILES / name).read_text()
        for path in re.findall(r"^(?:import|export)[^'\n]*from '(\.{1,2}/[^']+)'", text, re.M) + re.findall(r"^import '(\.{1,2}/[^']+)'", text, re.M) + re.findall(r"^[^'\n]*\} from '(\.{1,2}/[^']+)'", text, re.M):
            left.append(str(((FILES / name).parent / path).resolve().relative_to(FILES)))
    return sorted(names)


def sizes(results):
    def size(names):
        contents = [(FILES / name).read_bytes() for name in names]
        return sum(map(len, contents)) / 1000, sum(len(gzip.compress(one, 9)) for one in contents) / 1000
    every = [str(path.relative_to(FILES)) for path in FILES.rglob("*") if path.suffix in (".js", ".css", ".svg", ".html")]
    for title, names, bars in (("all files", every, ALL), ("files of the first page", first_page(), FIRST),
                               ("files of the first page of a user", first_page("core/home.js"), SIGNED_IN)):
        plain, packed = size(names)
        results.bar(f"{title}, plain", plain, bars[0], "KB", timing=False)
        results.bar(f"{title}, gzip", packed, bars[1], "KB", timing=False)


# docs/decisions has why these are not the figures of the first draft.
ALL, FIRST, SIGNED_IN = (560, 205), (60, 20), (82, 32)


def check(results):
    contrasts(results)
    sizes(results)
