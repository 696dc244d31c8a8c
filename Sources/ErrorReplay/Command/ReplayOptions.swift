import BoundedDescriptions

/// The command line of a replay.
struct ReplayOptions: Equatable {
    var files: [String] = []
    var filter = RecordFilter()
    var isJSON = false
    var showsOnlyDifferences = false
    var showsHelp = false

    init(_ arguments: [String]) throws(ReplayUsageError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                files.append(word)
                continue
            }
            if word == "--" {
                files += rest
                break
            }
            // Read `--host=a` as `--host a`.
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            var value = parts.count == 2 ? parts[1] : nil
            func text() throws(ReplayUsageError) -> String {
                guard let text = value ?? rest.popFirst() else { throw ReplayUsageError("\(parts[0]) needs a value") }
                value = nil
                return text
            }
            switch parts[0] {
            case "--since": filter.since = try Self.time(text(), of: parts[0])
            case "--until": filter.until = try Self.time(text(), of: parts[0])
            case "--host": filter.hosts.insert(try text())
            case "--service": filter.services.insert(try text())
            case "--release": filter.releases.insert(try text())
            case "--type": filter.types.insert(try text())
            case "--json": isJSON = true
            case "--only":
                let what = try text()
                if what != "different" {
                    throw ReplayUsageError("--only knows no \(OneLine.quoted(what)), only different")
                }
                showsOnlyDifferences = true
            case "--help", "-h": showsHelp = true
            default: throw ReplayUsageError("unknown option \(OneLine.quoted(parts[0]))")
            }
            if value != nil { throw ReplayUsageError("\(parts[0]) takes no value") }
            if showsHelp { return }
        }
        if files.isEmpty { throw ReplayUsageError("a file is needed, or - for standard input") }
        if files.count(where: { $0 == "-" }) > 1 { throw ReplayUsageError("standard input can be read only once") }
    }

    private static func time(_ text: String, of option: String) throws(ReplayUsageError) -> String {
        if let time = RecordFilter.time(text) { return time }
        throw ReplayUsageError("\(option) needs a time in UTC such as 2026-05-31T16:05, not \(OneLine.quoted(text))")
    }

    static let help = """
        arguments: FILE … [--since TIME] [--until TIME] [--host NAME] [--service NAME] [--release NAME]
                   [--type NAME] [--json] [--only different] [--help]

        Shows which recorded errors the rules of this program would handle differently than when they were recorded.
        Runs no action.

          FILE             a file of lines that a recorder wrote; - for standard input.
          --since TIME     leaves out errors posted before a time in UTC, such as 2026-05-31T16:05.
          --until TIME     leaves out errors posted at that time or later.
          --host NAME      leaves out errors of other machines. --service, --release, and --type select errors in the
                           same way; a type can have its module or not. You can repeat each of these options.
          --json           writes the counts as JSON.
          --only different writes only the differences.
          --help, -h       shows this help.

        Exit status: 0 if all compared errors would have the same result; 1 if one would have a different result; 2 if
        no error was compared, because there was no line, or no error that can be rebuilt; 64 if the command line is
        invalid; 66 if a file can't be read to its end, or if none of its lines is a record; 74 if the output can't be
        written; 130 after Ctrl-C and 143 after SIGTERM: then the output covers the lines that were read.

        """
}

/// An invalid command line.
struct ReplayUsageError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
