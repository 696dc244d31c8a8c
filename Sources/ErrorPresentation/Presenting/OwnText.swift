import Foundation

/// What an error says of itself to a person: as a `LocalizedError`, by an `NSError`'s keys, as a `RecoverableError`.
///
/// Never its description, which is for developers, and never Foundation's sentence of a domain and a code, whose domain
/// is mostly a type's name: not even where an error hands on what Foundation says of another one.
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
        // Where it is told nothing Foundation may have nothing to say but the domain, in whatever language.
        let isTold = error.userInfo[NSLocalizedDescriptionKey] != nil || error.localizedFailureReason != nil
        let text = error.localizedDescription
        if isTold || !text.contains(error.domain) { message = message ?? Self.bounded(text) }
        failureReason = failureReason ?? Self.bounded(error.localizedFailureReason)
        recoverySuggestion = recoverySuggestion ?? Self.bounded(error.localizedRecoverySuggestion)
        recoveryOptions = (error.localizedRecoveryOptions ?? []).prefix(Self.optionLimit).compactMap(Self.bounded)
    }

    /// The text, cut where it is too long; nil for one that is empty, or for developers.
    private static func bounded(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let end = text.utf8.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex) ?? text.endIndex
        guard end < text.endIndex else { return namesADomain(text) ? nil : text }
        // Not within a scalar.
        let beginning = text[..<text.unicodeScalars.index(after: text.unicodeScalars.index(before: end))]
        return namesADomain(beginning) ? nil : beginning.appending("…")
    }

    /// Whether Foundation's sentence of a domain and a code is in a text: "… (Module.Type error 7.)", with the word
    /// between them in another language too.
    ///
    /// Of parentheses that end with a number and a full stop, those are meant that have in them what looks like a
    /// type's name, or one of Foundation's domains; or any word, if an operation is said to have failed.
    private static func namesADomain(_ text: some StringProtocol) -> Bool {
        let pieces = text.split(separator: ".)", omittingEmptySubsequences: false)
        guard pieces.count > 1 else { return false }
        let isOfAnOperation = text.contains("The operation could")
        return pieces.dropLast().contains { piece in
            guard let space = piece.lastIndex(of: " "), Int(piece[piece.index(after: space)...]) != nil,
                let parenthesis = piece[..<space].lastIndex(of: "(")
            else { return false }
            let words = piece[..<space].suffix(from: piece.index(after: parenthesis))
            // A name in a private context has parentheses of its own: here it begins within them.
            let isAName = words.split(separator: ".").dropFirst().contains { $0.first?.isLetter == true }
            return isAName || words.contains("Domain") || isOfAnOperation && words.hasSuffix(" error")
        }
    }
}
