/// The bus was full, and errors were dropped: a notice that follows in-band, through the bus's own handler.
///
/// At most one is outstanding; errors dropped until it is delivered add to its count. Its report's source is where the
/// first of them was posted.
public struct ErrorsDropped: Error, Hashable, CustomStringConvertible {
    /// How many errors were dropped since the last notice.
    public let count: Int

    /// Makes a notice, for tests and fakes.
    ///
    /// - Parameter count: How many errors were dropped.
    public init(count: Int) {
        self.count = count
    }

    /// The count in words.
    public var description: String { "\(count) \(count == 1 ? "error was" : "errors were") dropped: the bus was full" }
}
