import BoundedDescriptions

/// A notice that errors were dropped because the bus was full; the bus delivers it to its own handler.
///
/// At most one notice is pending: errors that are dropped before its delivery add to its count. The source of the
/// notice's report is where the first of these errors was posted.
public struct ErrorsDropped: Error, Hashable, CustomStringConvertible {
    /// The key in ``byType`` for errors of all types beyond the 64 that a bus counts separately.
    static let otherTypes = "other types"

    /// The number of errors dropped since the last notice.
    public let count: Int
    /// The number of dropped errors of each type, by the type's full name; the sum is ``count``.
    ///
    /// A bus counts up to 64 types separately. It counts errors of all further types together as `other types`.
    public let byType: [String: Int]

    /// Creates a notice, for tests and fakes.
    ///
    /// - Parameters:
    ///   - count: The number of dropped errors.
    ///   - byType: The number of dropped errors of each type.
    public init(count: Int, byType: [String: Int] = [:]) {
        self.count = count
        self.byType = byType
    }

    /// Creates a notice from counts by type.
    ///
    /// The counts are 64 bits wide on all systems, because drops can continue as long as the program runs.
    init(_ counts: [String: Int64]) {
        count = Int(clamping: counts.values.reduce(0, +))
        byType = counts.mapValues { Int(clamping: $0) }
    }

    /// A sentence with the counts on one line, most frequent type first.
    public var description: String {
        let text = "\(count) \(count == 1 ? "error was" : "errors were") dropped: the bus was full"
        let types = byType.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { count in
            "\(count.value) of \(OneLine.escaped(count.key))"
        }
        return types.isEmpty ? text : "\(text) (\(types.joined(separator: ", ")))"
    }
}
