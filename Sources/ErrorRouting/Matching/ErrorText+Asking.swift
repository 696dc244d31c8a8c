import Synchronization

/// The user's code that texts are made of: descriptions, mirrors, user infos, redactions, underlying errors.
///
/// It may ask the library for a text of the same error, or post the error where there is no bus, so that a text would
/// be asked for without end. So what the task or thread is in the middle of is known by a task-local: at the fourth
/// text within one another, or after the thousandth within one, an error's type is named, and nobody is asked.
extension ErrorText {
    /// How many texts may be within one another.
    static let depthLimit = 4
    /// How many may be within one.
    static let countLimit = 1_024

    private struct Asked: Sendable {
        let depth: Int
        let outermost: Outermost
    }

    private final class Outermost: Sendable {
        /// How many more texts there may be within it.
        let rest = Atomic(countLimit)
    }

    @TaskLocal private static var asked: Asked?

    /// Whether this is in the middle of a text.
    static var isAsking: Bool { asked != nil }

    /// Whether the user's code may be asked here.
    static var mayAsk: Bool {
        guard let asked else { return true }
        return asked.depth < depthLimit && asked.outermost.rest.load(ordering: .relaxed) > 0
    }

    /// Calls what asks the user's code for a text; answers nil, having called nothing, where that might have no end.
    static func ask<Answer>(_ body: () -> Answer) -> Answer? {
        guard mayAsk else { return nil }
        asked?.outermost.rest.subtract(1, ordering: .relaxed)
        let inner = Asked(depth: (asked?.depth ?? 0) + 1, outermost: asked?.outermost ?? Outermost())
        return $asked.withValue(inner, operation: body)
    }
}
