/// A cache of types that don't conform to a protocol.
///
/// The runtime needs about 700 instructions to determine that a type doesn't conform, and most errors' types don't.
package struct NonconformingTypes: ~Copyable, Sendable {
    private final class Mark: Sendable {}

    private let marks = TypeTable<Mark>()

    package init() {}

    /// Returns whether a type conforms; calls the check unless the type is known not to conform.
    @inline(__always)
    package func conforms(_ type: Any.Type, _ check: () -> Bool) -> Bool {
        if marks[type] != nil { return false }
        if check() { return true }
        _ = marks.insert(Mark(), for: type)
        return false
    }
}
