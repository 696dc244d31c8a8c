/// The command: reads the index, and prints the lines that use a declaration in a higher folder.
package struct LayeringCommand {
    /// The exit status; with the numbers of `sysexits.h` if nothing could be judged.
    package enum Status: Int32, Sendable {
        case clean = 0
        case violations = 1
        case usage = 64
        case noIndex = 66
    }

    /// The texts to print, and the exit status.
    package struct Result: Sendable {
        package let status: Status
        package let output: String
        package let errors: String
    }

    package init() {}

    /// Runs the command, and returns the texts to print.
    package func run(_ arguments: [String]) -> Result {
        guard let options = Options(arguments) else {
            return Result(status: .usage, output: "", errors: Options.usage)
        }
        do {
            let sources = try SourceTree(root: options.sources)
            if let missing = options.folders.first(where: { name in !sources.files.contains { $0.folder == name } }) {
                let reason = "there are no Swift sources in \(options.sources)/\(missing)\n\n"
                return Result(status: .usage, output: "", errors: reason + Options.usage)
            }
            let store = IndexStore(path: options.index, library: try .ofToolchain())
            return judge(sources, Uses(try store.occurrences(in: sources)), options)
        } catch {
            let advice = """
                \(error)
                A debug build writes the index: swift build, or swiftc with -index-store-path.
                """
            return Result(status: .noIndex, output: "", errors: advice)
        }
    }

    private func judge(_ sources: SourceTree, _ uses: Uses, _ options: Options) -> Result {
        let findings = LayerOrder(options.folders).findings(in: sources, uses)
        var lines = findings.map(\.description)
        if options.showsLargestCircle { lines += largestCircle(in: uses) }
        let extent = "\(sources.files.count) files, \(uses.all.count) uses, \(options.folders.count) folders"
        lines.append(findings.isEmpty ? "\(extent): downwards only" : "\(extent); errors: \(findings.count)")
        return Result(
            status: findings.isEmpty ? .clean : .violations, output: lines.joined(separator: "\n"), errors: "")
    }

    private func largestCircle(in uses: Uses) -> [String] {
        var graph = DirectedGraph<String>()
        for use in uses.all { graph.connect(use.place.file.path, to: use.declaration.file.path) }
        let circle = graph.circles.first ?? []
        return circle.sorted().map { "  \($0)" } + ["largest circle: \(circle.count) files"]
    }
}

/// The command's options.
struct Options {
    static let usage = """
        usage: layering --sources <folder> --index <store> [--largest-circle] <folder>...

        Fails where a folder below the sources uses one that is named after it, as the compiler's index has it.

          --sources          the folder that holds the folders
          --index            what the compiler wrote at -index-store-path; a debug build does at .build/debug/index/store
          --largest-circle   says how many files use one another in a circle, and which; that is no failure
        """

    var sources = ""
    var index = ""
    var showsLargestCircle = false
    var folders: [String] = []

    /// Reads the arguments; nil if they are not valid, and the usage is to be printed.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--sources":
                guard let value = rest.popFirst() else { return nil }
                sources = value
            case "--index":
                guard let value = rest.popFirst() else { return nil }
                index = value
            case "--largest-circle":
                showsLargestCircle = true
            default:
                guard !argument.hasPrefix("-"), !folders.contains(argument) else { return nil }
                folders.append(argument)
            }
        }
        guard !sources.isEmpty, !index.isEmpty, !folders.isEmpty else { return nil }
    }
}
