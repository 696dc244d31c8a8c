import ErrorRecording

/// A part of the demo, with its own file.
enum Section: String, CaseIterable {
    case places, why, flood, payments, end

    var title: String {
        switch self {
        case .places: "Five places where Swift loses an error"
        case .why: "Why did this rule run?"
        case .flood: "A flood of 100,000 errors from eight tasks"
        case .payments: "A payment provider that fails"
        case .end: "The end"
        }
    }

    var file: String {
        switch self {
        case .places: "FivePlaces.swift"
        case .why: "WhyThisRule.swift"
        case .flood: "Flood.swift"
        case .payments: "Payments.swift"
        case .end: "TheEnd.swift"
        }
    }

    func run(on screen: Screen, recordingTo recorder: ErrorRecorder) async {
        switch self {
        case .places: await FivePlaces.run(on: screen, recordingTo: recorder)
        case .why: WhyThisRule.run(on: screen)
        case .flood: await Flood.run(on: screen, recordingTo: recorder)
        case .payments: await Payments.run(on: screen, recordingTo: recorder)
        case .end: await TheEnd.run(on: screen, recordingTo: recorder)
        }
    }
}

/// The parsed command line.
enum Options {
    case help
    case run([Section])

    init(arguments: some Collection<String>) throws(UsageError) {
        let words = Array(arguments)
        if words.isEmpty {
            self = .run(Section.allCases)
        } else if words == ["--help"] {
            self = .help
        } else if words.count == 2, words[0] == "--only", let section = Section(rawValue: words[1]) {
            self = .run([section])
        } else {
            throw UsageError(words: words)
        }
    }

    static let usage =
        "usage: error-bus-demo [--only \(Section.allCases.map(\.rawValue).joined(separator: "|"))] [--help]"

    static let helpText = """
        \(usage)

        Shows what an error bus is for, in five sections:

        \(Section.allCases.map { "  \($0.rawValue.padded(to: 9))\($0.title)" }.joined(separator: "\n"))

        Every error is real, and every line shows what happened to one of them. The rules are in
        Sources/error-bus-demo/Rules.swift. The errors are also recorded in a temporary file, which the last line names.
        """
}

/// An invalid command line.
struct UsageError: Error, CustomStringConvertible {
    let words: [String]

    var description: String {
        "cannot read \(words.map(\.debugDescription).joined(separator: " "))\n\(Options.usage)"
    }
}
