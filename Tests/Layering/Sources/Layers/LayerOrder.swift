/// A violation with its place, printed in the form of a compiler's error.
struct Finding: Hashable, CustomStringConvertible {
    let place: Place
    let message: String

    var description: String { "\(place): error: \(message)" }
}

/// The order of the folders: each folder may use itself and those before it.
struct LayerOrder {
    /// The lowest first.
    let folders: [String]
    private let heights: [String: Int]

    init(_ folders: [String]) {
        self.folders = folders
        heights = Dictionary(folders.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
    }

    /// Returns the violations, in order of files and lines.
    func findings(in sources: SourceTree, _ uses: Uses) -> [Finding] {
        let all = upwards(in: uses) + circles(in: uses) + withoutPlace(in: sources)
        return all.sorted { ($0.place, $0.message) < ($1.place, $1.message) }
    }

    private func upwards(in uses: Uses) -> [Finding] {
        uses.all.compactMap { use in
            guard let (user, used) = use.folders, let height = heights[user], let other = heights[used], height < other
            else { return nil }
            return Finding(place: use.place, message: "\(user) must not use \(used): \(use.reason)")
        }
    }

    /// Returns the circles through folders that are not in the order.
    ///
    /// Every other circle contains a dependency upwards, which is reported as such.
    private func circles(in uses: Uses) -> [Finding] {
        var graph = DirectedGraph<String>()
        var first: [[String]: Use] = [:]
        for use in uses.all {
            guard let (user, used) = use.folders, user != used else { continue }
            graph.connect(user, to: used)
            first[[user, used]] = first[[user, used]] ?? use
        }
        var reported: Set<Set<String>> = []
        var findings: [Finding] = []
        for folder in Set(first.keys.joined()).sorted() where heights[folder] == nil {
            guard let circle = graph.shortestCircle(through: folder), reported.insert(Set(circle)).inserted
            else { continue }
            let way = (circle + [folder]).joined(separator: " → ")
            for (user, used) in zip(circle, circle.dropFirst() + [folder]) {
                guard let use = first[[user, used]] else { continue }
                findings.append(
                    Finding(place: use.place, message: "the circle \(way): \(user) uses \(used): \(use.reason)"))
            }
        }
        return findings
    }

    private func withoutPlace(in sources: SourceTree) -> [Finding] {
        var known = Set(folders)
        return sources.files.compactMap { file in
            let place = Place(file: file, line: 1, column: 1)
            guard let folder = file.folder else {
                return Finding(place: place, message: "the file lies in no folder, and has no place in the order")
            }
            // Each folder is reported once.
            guard known.insert(folder).inserted else { return nil }
            return Finding(place: place, message: "folder \(folder) has no place in the order")
        }
    }
}

extension Use {
    fileprivate var folders: (user: String, used: String)? {
        guard let user = place.file.folder, let used = declaration.file.folder else { return nil }
        return (user, used)
    }

    fileprivate var reason: String { "\(symbol) is declared in \(declaration.file.path):\(declaration.line)" }
}

extension Place: CustomStringConvertible {
    var description: String { "\(file.path):\(line):\(column)" }
}
