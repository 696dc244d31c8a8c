/// The bus was full, and errors were dropped: a notice that follows in-band, through the bus's own handler.
///
/// At most one is outstanding; errors dropped until it is delivered add to its count. Its report's source is where the
/// first of them was posted.
public struct ErrorsDropped: Error, Hashable, CustomStringConvertible {
    /// The key in ``byType`` for what was dropped of types beyond the 64 that a bus tells apart.
    public static let otherTypes = "other types"

    /// How many errors were dropped since the last notice.
    public let count: Int
    /// How many of them were of which type, by the type's full name; the counts add up to ``count``.
    public let byType: [String: Int]

    /// Makes a notice, for tests and fakes.
    ///
    /// - Parameters:
    ///   - count: How many errors were dropped.
    ///   - byType: How many of them were of which type.
    public init(count: Int, byType: [String: Int] = [:]) {
        self.count = count
        self.byType = byType
    }

    /// The counts in words on one line, the most frequent type first.
    public var description: String {
        let text = "\(count) \(count == 1 ? "error was" : "errors were") dropped: the bus was full"
        let types = byType.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { count in
            "\(count.value) of \(OneLine.escaped(count.key))"
        }
        return types.isEmpty ? text : "\(text) (\(types.joined(separator: ", ")))"
    }
}
