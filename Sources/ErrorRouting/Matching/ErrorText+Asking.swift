/// The user's code that texts are made of: descriptions, mirrors, user infos, redactions, underlying errors.
///
/// It may ask the library for a text of the same error, or post the error where there is no bus, so that a text would
/// be asked for without end. So each thread knows what it is in the middle of: at the fourth text within one another,
/// or after the thousandth within one, an error's type is named, and nobody is asked.
extension ErrorText {
    /// How many texts may be within one another.
    static let depthLimit = 4

    /// Whether this is in the middle of a text.
    static var isAsking: Bool { PerThread.isInText }

    /// Whether the user's code may be asked here.
    static var mayAsk: Bool { PerThread.mayEnterText(depth: depthLimit) }

    /// Calls what asks the user's code for a text; returns nil, having called nothing, where that might have no end.
    ///
    /// - Parameters:
    ///   - isCounted: Whether it is one of the thousand; an explanation is not, which asks each of its rules.
    ///   - body: What asks.
    static func ask<Answer>(isCounted: Bool = true, _ body: () -> Answer) -> Answer? {
        mayAsk ? PerThread.inText(isCounted: isCounted, body) : nil
    }
}
