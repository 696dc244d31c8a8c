/// What the command was asked for.
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

    /// nil for what is no request, with which the usage is to be said.
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
