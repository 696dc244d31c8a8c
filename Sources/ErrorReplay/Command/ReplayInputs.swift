/// The files of a command, in order.
struct ReplayInputs {
    typealias Input = Result<ReplayInput, Replay.UnreadableInput>

    /// The number of files that are opened before the first file is read, so that a rotation during the replay doesn't
    /// hide any of them.
    private static let openLimit = 64

    private let paths: [String]
    private var opened: [Input?]
    private var identities: Set<ReplayInput.Identity> = []
    /// The index of the next path, and the number of the next file.
    private var (index, number) = (0, 0)

    init(_ paths: [String]) {
        self.paths = paths
        opened = paths.prefix(Self.openLimit).map(Self.open)
    }

    /// The total size of the files in bytes; nil if it is unknown.
    var size: Int? {
        guard paths.count == opened.count else { return nil }
        return opened.reduce(0) { sum, input in
            // error-audit: harmless, because a file that can't be opened is skipped here and reported when it is read
            guard let sum, case .success(let input)? = input else { return sum }
            return input.size.map { sum + $0 }
        }
    }

    /// Returns the next file with its number, and skips a file that an earlier path also refers to.
    mutating func next() -> (number: Int, input: Input)? {
        while index < paths.count {
            let input = (index < opened.count ? opened[index].take() : nil) ?? Self.open(paths[index])
            index += 1
            if case .success(let file) = input, let identity = file.identity {
                guard identities.insert(identity).inserted else { continue }
            }
            defer { number += 1 }
            return (number, input)
        }
        return nil
    }

    private static func open(_ path: String) -> Input {
        Result { () throws(Replay.UnreadableInput) in try ReplayInput(path) }
    }
}
