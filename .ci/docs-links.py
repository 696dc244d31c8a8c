#!/usr/bin/env python3
"""Copies a documentation catalog, with links as DocC resolves them. The pages' own links are paths, as GitHub does.

    docs-links.py CATALOG COPY

A link to a page of the catalog becomes a `doc:` link: DocC checks that the page and the heading exist. A link to any
other page becomes plain text, because each module has its own archive, and DocC can't see the other archives.
"""
import pathlib, re, shutil, sys, urllib.parse

# Fenced blocks, comments, and code spans: none of them holds a link.
CODE = re.compile(r"^ *```.*?^ *```|<!--.*?-->|(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.M | re.S)
LINK = re.compile(r"(?P<item>^- )?(?<!!)\[(?P<text>[^\[\]]*)\]\((?P<target>[^)\s]*)\)", re.M)
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*\S+\.md\b", re.M)


def headings(text):
    """The headings of a page, by the anchors that GitHub gives them; none for a heading that repeats another."""
    found, seen = {}, {}
    for line in re.findall(r"^#+ +(.*?)\s*$", re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S), re.M):
        anchor = re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-")
        count = seen[anchor] = seen.get(anchor, -1) + 1
        found[f"{anchor}-{count}" if count else anchor] = None if count else line.replace("`", "")
    return found


def translated(page, text):
    """The page's text with its links translated, and the faults of its links."""
    faults = []
    # Code of the same length, without brackets: the positions stay.
    prose = CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)

    def fault(position, sentence):
        faults.append(f"{page}:{text.count(chr(10), 0, position) + 1}: {sentence}")

    for definition in DEFINITION.finditer(prose):
        fault(definition.start(), "write the link inline: a definition can't be left out")

    def replacement(link):
        path, _, anchor = link["target"].partition("#")
        written = text[link.start():link.end()]
        words = text[link.start("text"):link.end("text")]
        if ":" in path or not link["target"]: return written
        target = (page.parent / urllib.parse.unquote(path)).resolve() if path else page.resolve()
        if target.parent != page.parent.resolve() or target.suffix != ".md":
            if not target.exists(): fault(link.start(), f"{link['target']} doesn't exist")
            return (link["item"] or "") + words
        # A name alone could also be that of a section.
        module = page.parent.stem
        name = module if target.stem == module else f"{module}/{urllib.parse.quote(target.stem)}"
        if anchor:
            heading = headings(target.read_text()).get(anchor) if target.exists() else None
            if heading is None:
                fault(link.start(), f"{link['target']}: the heading doesn't exist, or repeats another")
                return words
            name += "#" + urllib.parse.quote(heading.replace(" ", "-"), safe="")
        # An entry of Topics is the link alone, with the page's own title.
        alone = link["item"] and not anchor and text[link.end():link.end() + 1] in ("\n", "")
        return f"- <doc:{name}>" if alone else f"{link['item'] or ''}[{words}](doc:{name})"

    pieces, end = [], 0
    for link in LINK.finditer(prose):
        pieces += [text[end:link.start()], replacement(link)]
        end = link.end()
    return "".join(pieces) + text[end:], faults


def main():
    catalog, copy = map(pathlib.Path, sys.argv[1:])
    shutil.copytree(catalog, copy)
    faults = []
    for page in sorted(catalog.rglob("*.md")):
        text, found = translated(page, page.read_text())
        (copy / page.relative_to(catalog)).write_text(text)
        faults += found
    for fault in faults: print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
