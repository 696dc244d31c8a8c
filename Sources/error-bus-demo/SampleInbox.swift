import BoundedDescriptions
import ErrorRouting
import Foundation
import Synchronization

/// An inbox for demonstration, with good orders and broken orders of every kind; the same in every run.
struct SampleInbox: Sendable {
    /// The kinds of entries.
    enum Kind: String, Sendable, CaseIterable {
        case good
        case truncated, wrongType, missingField, empty
        case folder, danglingLink, linkToItself
        case noLines, zeroQuantity, overLimit
    }

    /// How many entries of each kind the inbox of a run without arguments has.
    static let someHundreds: [Kind: Int] = [
        .good: 262,
        .truncated: 9, .wrongType: 8, .missingField: 7, .empty: 5,
        .folder: 3, .danglingLink: 4, .linkToItself: 3,
        .noLines: 6, .zeroQuantity: 7, .overLimit: 6,
    ]

    /// The inbox; its quarantine is made beside it, in `root`.
    let folder: URL
    private let root: URL

    /// The temporary folders that have to be removed.
    private static let roots = Mutex<Set<URL>>([])

    /// Makes the inbox in a new temporary folder; stops early if the task is cancelled.
    init(kinds: [Kind: Int]) throws {
        root = FileManager.default.temporaryDirectory
            .appending(path: "error-bus-demo-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        folder = root.appending(path: "inbox", directoryHint: .isDirectory)
        _ = Self.roots.withLock { [root] in $0.insert(root) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (index, kind) in Self.mixed(kinds).enumerated() where !Task.isCancelled {
                try make(kind, number: index + 1)
            }
        } catch {
            remove()
            throw error
        }
    }

    /// Removes the inbox and its quarantine.
    func remove() {
        // Under the lock, so that `removeAll` waits until the folder is removed.
        let failure = Self.roots.withLock { roots -> (any Error)? in
            defer { roots.remove(root) }
            do {
                try FileManager.default.removeItem(at: root)
                return nil
            } catch {
                return error
            }
        }
        if let failure {
            let reason = OneLine.escaped(failure.localizedDescription)
            Console.writeError("error-bus-demo: cannot remove \(OneLine.quoted(root.path)): \(reason)")
        }
    }

    /// Keeps the inbox after the end of the process.
    func keep() {
        _ = Self.roots.withLock { [root] in $0.remove(root) }
    }

    /// Removes all remaining inboxes; called when the process is ended early.
    ///
    /// Failures are not reported, since the process may be blocked because nobody reads standard error.
    static func removeAll() {
        roots.withLock { roots in
            // Several attempts, since an action may still be moving a file.
            for root in roots {
                for _ in 0..<5 where (try? root.checkResourceIsReachable()) == true {
                    try? FileManager.default.removeItem(at: root)
                }
            }
        }
    }

    /// Returns the kinds of all entries, with the entries of each kind spread evenly over the inbox.
    private static func mixed(_ kinds: [Kind: Int]) -> [Kind] {
        let places = Kind.allCases.flatMap { kind in
            let count = kinds[kind, default: 0]
            return (0..<count).map { (kind: kind, place: (Double($0) + 0.5) / Double(count)) }
        }
        // The sort is stable: entries with the same place keep the order of the kinds.
        return places.sorted { $0.place < $1.place }.map(\.kind)
    }

    private func make(_ kind: Kind, number: Int) throws {
        let digits = "\(number)"
        let name = String(repeating: "0", count: max(4 - digits.count, 0)) + digits
        let file = folder.appending(path: "order-\(name)-\(kind.rawValue).json", directoryHint: .notDirectory)
        switch kind {
        case .folder:
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        case .danglingLink:
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "gone-\(name)")
        case .linkToItself:
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: file.lastPathComponent)
        default:
            try Data(Self.text(of: kind, number: number).utf8).write(to: file)
        }
    }

    private static func text(of kind: Kind, number: Int) -> String {
        let quantity = number % 5 + 1
        let unitCents = 250 + number * 7
        switch kind {
        case .truncated: return String(order(number, [line(quantity, unitCents)]).dropLast(25))
        case .wrongType: return order(number, [line(quantity, "\"\(unitCents) cents\"")])
        case .missingField: return "{\"id\": \"A-\(number)\", \"lines\": []}\n"
        case .empty: return ""
        case .noLines: return order(number, [])
        case .zeroQuantity: return order(number, [line(0, unitCents)])
        case .overLimit: return order(number, [line(500, unitCents + 2_000)])
        default: return order(number, [line(quantity, unitCents), line(1, 990)])
        }
    }

    private static func order(_ number: Int, _ lines: [String]) -> String {
        """
        {"id": "A-\(number)", "customer": "customer-\(number % 40)", "lines": [\(lines.joined(separator: ", "))]}

        """
    }

    private static func line(_ quantity: Int, _ unitCents: some CustomStringConvertible) -> String {
        "{\"sku\": \"tea-\(quantity)\", \"quantity\": \(quantity), \"unitCents\": \(unitCents)}"
    }
}
