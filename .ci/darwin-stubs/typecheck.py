"""Type-checks every target as Darwin would compile it, on Linux and without Apple's SDK.

In a copy of the sources `#if` has Darwin's branches only, and each name of the C library has the prefix D_. The module
`Darwin` in this folder declares these names with Darwin's types; without the prefix they would clash with Glibc's,
which Foundation exports here. A C name that the package begins to use is to be declared there: until then it is
Glibc's, or not in scope. The modules `SwiftUI`, `UIKit`,
`AppKit` and `Accessibility` have the declarations that ErrorPresentation uses. The modules are built,
since some errors are found only after the types were checked.

With names of targets as arguments, it checks these and what they use.

Not covered: what Foundation, Dispatch and Testing have or bridge otherwise on Darwin; availability; a call of a C
function where the same file declares a function of that name, unless a module stands before it; linking and running;
the nested packages. The declarations of SwiftUI, UIKit, AppKit and Accessibility are written by hand; the
page "What was checked" of ErrorPresentation says what they were compared with.
"""
import concurrent.futures, graphlib, json, os, pathlib, re, subprocess, sys, tempfile

STUBS = pathlib.Path(__file__).resolve().parent
PACKAGE = STUBS.parent.parent
DECLARED = (STUBS / "Darwin.h").read_text() + (STUBS / "Darwin.swift").read_text()
NAMES = set(re.findall(r"\bD_(\w+)", DECLARED))
TYPES = set(re.findall(r"\bstruct D_(\w+) \{", DECLARED))
# A few structures are called as functions are: where either may be meant, both have the prefix.
FUNCTIONS = set(re.findall(r"\bD_(\w+)\(", DECLARED)) - TYPES
WITHOUT_ARGUMENTS = set(re.findall(r"\bD_(\w+)\(void\)", DECLARED))
ANY_NAME = "(" + "|".join(sorted(NAMES, key=len, reverse=True)) + ")"


def branches(source):
    """Lets the conditions of `#if` be what they are on Darwin."""
    def decide(line):
        line = re.sub(r"canImport\((Darwin|ObjectiveC)\)|os\(macOS\)", "true", line.group())
        return re.sub(r"canImport\((Glibc|Musl|FoundationNetworking)\)|os\(\w+\)", "false", line)

    # What is in that module here is in Foundation on Darwin, so only the import stays.
    networking = r"#if canImport\(FoundationNetworking\)(?=\n\s*(\w+ )?import FoundationNetworking)"
    source = re.sub(networking, "#if true", source)
    return re.sub(r"^\s*#(else)?if .*", decide, source, flags=re.M)


def names(source):
    """Prefixes the C library's names; what merely looks like one of them stays."""
    source = re.sub(rf"\b(?:Foundation|Darwin)\.{ANY_NAME}\(", r"D_\1(", source)
    own = set(re.findall(r"\b(?:func|let|var) (\w+)", source)) | set(re.findall(r"\b(\w+): [@(]", source))

    def change(match):
        name, after = match[1], source[match.end():]
        before = source[source.rfind("\n", 0, match.start()) + 1:match.start()]
        if "//" in before or before.count('"') % 2:
            return name
        if name in FUNCTIONS:
            # A call without labels, which C does not have, of what the file does not declare itself.
            is_call = re.match(r"\((?!\w+:)", after) and not re.search(r"\b(func|case) $", before) and name not in own
            if not is_call or after.startswith("()") and name not in WITHOUT_ARGUMENTS:
                return name
        return "D_" + name

    return re.sub(rf'(?<![\w.`"$#@\\]){ANY_NAME}(?![\w"`])', change, source)


def imports(source):
    """Imports Darwin, as Foundation and Dispatch do by themselves there."""
    if re.search(r"^\s*import Darwin\b", source, flags=re.M):
        return source
    # What Foundation has on Darwin alone is declared in this folder too.
    if "LocalizedStringResource" in source:
        return source.replace("public import Foundation", "public import Darwin; import Foundation")
    return re.sub(r"^(\s*(\w+ )?import (Foundation|Dispatch))\b", r"\1; import Darwin", source, count=1, flags=re.M)


class Check:
    """The copy, the modules built from it, and what the compiler says."""

    def __init__(self, folder):
        self.copy, self.modules = folder / "copy", folder / "modules"
        self.modules.mkdir()
        manifest = (PACKAGE / "Package.swift").read_text()
        self.flags = ["-swift-version", "6", "-parse-as-library", "-wmo", "-emit-module", "-I", self.modules,
                      "-module-cache-path", folder / "cache", "-Xcc", f"-fmodule-map-file={STUBS}/module.modulemap"]
        self.strict = ["-package-name", "darwin", "-enable-testing", "-strict-memory-safety"]
        for feature in re.findall(r'enableUpcomingFeature\("(\w+)"\)', manifest):
            self.strict += ["-enable-upcoming-feature", feature]

    def build(self, module, files, flags=()):
        """Builds a module; returns whether it is there, and the output, with the package's own paths."""
        module = module.replace("-", "_")
        run = subprocess.run(["swiftc", *self.flags, *flags, "-module-name", module, "-o",
                              self.modules / f"{module}.swiftmodule", *files], capture_output=True, text=True)
        return run.returncode == 0, (run.stdout + run.stderr).replace(f"{self.copy}/", "")

    def c_target(self, target):
        """Checks a target in C as Darwin's compiler would, without its C library, and shows it to those that use it."""
        folder = PACKAGE / target["path"]
        module_map = self.modules / f"{target['name']}.modulemap"
        header = folder / "include" / f"{target['name']}.h"
        module_map.write_text(f'module {target["name"]} {{ header "{header}" export * }}\n')
        self.flags += ["-Xcc", f"-fmodule-map-file={module_map}"]
        run = subprocess.run(["clang", "-target", "arm64-apple-macosx15", "-ffreestanding", "-fsyntax-only", "-Wall",
                              "-I", folder / "include", *[folder / source for source in target["sources"]]],
                             capture_output=True, text=True)
        return run.returncode == 0, (run.stdout + run.stderr).replace(f"{PACKAGE}/", "")

    def target(self, target):
        """Builds a target of the package; one that uses UIKit is built for AppKit too."""
        if target["module_type"] == "ClangTarget":
            return self.c_target(target)
        sources = [pathlib.Path(target["path"], source) for source in target["sources"]]
        if any("canImport(UIKit)" in (PACKAGE / path).read_text() for path in sources):
            is_built, output = self.swift_target(target, lambda text: text.replace("canImport(UIKit)", "false"))
            if not is_built or "warning: " in output:
                return is_built, "for AppKit:\n" + output
        return self.swift_target(target)

    def swift_target(self, target, change=lambda text: text):
        files = []
        for source in target["sources"]:
            path = pathlib.Path(target["path"], source)
            text = imports(names(branches(change((PACKAGE / path).read_text()))))
            files.append(self.copy / path)
            files[-1].parent.mkdir(parents=True, exist_ok=True)
            files[-1].write_text(text)
        # What the package manager generates for files that are compiled in.
        embedded = [pathlib.Path(resource["path"]).name for resource in target.get("resources", [])]
        if embedded:
            files.append(self.copy / target["path"] / "embedded_resources.swift")
            properties = "".join(f"static let {name.replace('.', '_')}: [UInt8] = []\n" for name in embedded)
            files[-1].write_text(f"struct PackageResources {{\n{properties}}}\n")
        return self.build(target["name"], files, self.strict)


def main():
    description = subprocess.run(["swift", "package", "describe", "--type", "json"], cwd=PACKAGE, check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
    # A plugin is compiled against the package manager's own module.
    targets = {target["name"]: target for target in json.loads(description)["targets"] if target["type"] != "plugin"}
    uses = {name: set(target.get("target_dependencies", [])) for name, target in targets.items()}
    wanted = set(sys.argv[1:]) or set(targets)
    while (more := set().union(*[uses[name] for name in wanted]) - wanted):
        wanted |= more
    uses = {name: uses[name] for name in wanted}
    order = graphlib.TopologicalSorter(uses)
    order.prepare()
    ready, running, missing, faulty = [], {}, set(), set()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor() as pool:
        check = Check(pathlib.Path(folder))
        for module in ["Darwin", "Accessibility", "SwiftUI", "UIKit", "AppKit"]:
            is_built, output = check.build(module, [STUBS / f"{module}.swift"])
            if not is_built:
                sys.exit(output)
        while order.is_active():
            # The largest first: the rest goes beside it.
            ready = sorted(ready + list(order.get_ready()), key=lambda name: len(targets[name]["sources"]))
            while ready and len(running) < (os.cpu_count() or 1):
                name = ready.pop()
                if uses[name] & missing:
                    print(f"{name}: not checked, since what it uses has errors")
                    missing.add(name)
                    order.done(name)
                else:
                    running[pool.submit(check.target, targets[name])] = name
            for done in concurrent.futures.wait(running, return_when="FIRST_COMPLETED").done:
                name = running.pop(done)
                is_built, output = done.result()
                is_right = is_built and "warning: " not in output
                print(f"{name}: right" if is_right else f"{name} has faults:\n{output}", flush=True)
                if not is_right:
                    faulty.add(name)
                if not is_built:
                    missing.add(name)
                order.done(name)
    if faulty:
        sys.exit("what Darwin would compile has errors or warnings: " + ", ".join(sorted(faulty)))


main()
