import Foundation

/// What an error says of itself to a person: as a `LocalizedError`, by an `NSError`'s keys, as a `RecoverableError`.
///
/// Never its description, which is for developers, and never Foundation's sentence of a domain and a code.
struct OwnText {
    /// What is said of an error that says nothing for a person to read.
    static let unknown = "The operation could not be completed."
    /// How many bytes of UTF-8 a text may have.
    static let limit = 16 * 1024

    private(set) var title: String?
    private(set) var message: String?
    private(set) var failureReason: String?
    private(set) var recoverySuggestion: String?
    private(set) var recoveryOptions: [String] = []

    /// - Parameter error: The error, in no box within its box.
    init(_ error: any Error) {
        if let error = error as? any LocalizedError {
            message = Self.bounded(error.errorDescription)
            failureReason = Self.bounded(error.failureReason)
            recoverySuggestion = Self.bounded(error.recoverySuggestion)
        }
        // Coding errors are `LocalizedError`s on Linux that say nothing, but Foundation has words for them.
        let hasKeys = type(of: error) is NSError.Type || error is any CustomNSError
        if hasKeys || error is DecodingError || error is EncodingError { takeKeys(of: error as NSError) }
        if let error = error as? any RecoverableError {
            recoveryOptions = error.recoveryOptions.prefix(Self.optionLimit).compactMap(Self.bounded)
        }
        if recoverySuggestion == nil, !recoveryOptions.isEmpty {
            recoverySuggestion = recoveryOptions.joined(separator: " / ")
        }
    }

    /// How many options are looked at.
    private static let optionLimit = 16

    /// Takes what the error has not said itself.
    private mutating func takeKeys(of error: NSError) {
        title = title ?? Self.bounded(error.userInfo["NSLocalizedFailure"] as? String)
        let text = Self.bounded(error.localizedDescription)
        // That is what Foundation says where it knows nothing.
        if text?.contains("\(error.domain) error \(error.code)") != true { message = message ?? text }
        failureReason = failureReason ?? Self.bounded(error.localizedFailureReason)
        recoverySuggestion = recoverySuggestion ?? Self.bounded(error.localizedRecoverySuggestion)
        recoveryOptions = (error.localizedRecoveryOptions ?? []).prefix(Self.optionLimit).compactMap(Self.bounded)
    }

    /// The text, cut where it is too long; nil for one that is empty.
    private static func bounded(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let end = text.utf8.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex) ?? text.endIndex
        guard end < text.endIndex else { return text }
        // Not within a scalar.
        return text[..<text.unicodeScalars.index(after: text.unicodeScalars.index(before: end))].appending("…")
    }
}
