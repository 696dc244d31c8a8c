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
        arguments: FILE … [--since TIME] [--until TIME] [--host NAME] [--service NAME] [--type NAME] [--json]
                   [--only different] [--help]

        Asks of recorded errors what the rules of this program would do with them, and says which they would treat in
        another way than when they were recorded. Runs no action.

          FILE             a file of lines that a recorder has written; - for standard input.
          --since TIME     leaves out what was posted before a time in UTC, such as 2026-05-31T16:05.
          --until TIME     leaves out what was posted at that time or later.
          --host NAME      leaves out what is of other machines; --service and --type likewise, a type with its module
                           or without it. Each may be given several times.
          --json           writes the counts as JSON.
          --only different writes the differences alone.
          --help, -h       shows this.

        Exit status: 0 if the same would become of all errors that were compared; 1 if something else would become of
        one; 2 if none was compared: there was no line, none that can be read, or no error that can be rebuilt; 64 if
        the command line makes no sense; 66 if a file cannot be read to its end; 74 if the output cannot be written; 130
        after Ctrl-C, and 143 after SIGTERM: then the output is that of what was read.

        """
}

/// An invalid command line.
struct ReplayUsageError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
