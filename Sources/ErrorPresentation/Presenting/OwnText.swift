import BoundedDescriptions
import Foundation

/// An error's texts for users, from `LocalizedError`, the keys of an `NSError`, or `RecoverableError`.
///
/// The error's description is never used, because it is for developers. Foundation's generic sentence with a domain and
/// a code is never used either, even if the error repeats that sentence from another error.
struct OwnText {
    /// The message for an error without texts for users, in the app's language if the app translates it.
    static let unknown = Bundle.main.localizedString(
        forKey: "The operation could not be completed.", value: nil, table: nil)
    /// How many bytes of UTF-8 a text can have.
    static let limit = 16 * 1024

    private(set) var title: String?
    private(set) var message: String?
    private(set) var failureReason: String?
    private(set) var recoverySuggestion: String?
    /// The options that can be performed.
    private(set) var recoveryOptions: [String] = []
    /// The positions of these options among all of the error's options.
    private(set) var optionPositions: [Int] = []

    /// - Parameter error: The unboxed error.
    init(_ error: any Error) {
        if let error = error as? any LocalizedError {
            message = Self.bounded(error.errorDescription)
            failureReason = Self.bounded(error.failureReason)
            recoverySuggestion = Self.bounded(error.recoverySuggestion)
        }
        // Read `NSError` texts too: on Linux, coding errors are `LocalizedError`s without texts.
        let hasKeys = type(of: error) is NSError.Type || error is any CustomNSError
        if hasKeys || error is DecodingError || error is EncodingError { readKeys(of: (error as NSError).withReason) }
        if let error = error as? any RecoverableError {
            for (position, option) in error.recoveryOptions.prefix(Self.optionLimit).enumerated() {
                guard let option = Self.bounded(option) else { continue }
                recoveryOptions.append(option)
                optionPositions.append(position)
            }
            suggest(recoveryOptions)
        }
    }

    /// How many recovery options are used.
    private static let optionLimit = 16

    /// Fills in missing texts from the error's user info.
    private mutating func readKeys(of error: NSError) {
        title = title ?? Self.bounded(error.userInfo["NSLocalizedFailure"] as? String)
        // Check the keys: without them, Foundation might create a sentence in any language with nothing but the domain.
        let isDescribed = error.userInfo[NSLocalizedDescriptionKey] != nil || error.localizedFailureReason != nil
        let text = error.localizedDescription
        if isDescribed || !text.contains(error.domain) { message = message ?? Self.bounded(text) }
        failureReason = failureReason ?? Self.bounded(error.localizedFailureReason)
        recoverySuggestion = recoverySuggestion ?? Self.bounded(error.localizedRecoverySuggestion)
        // Only mention an `NSError`'s options, because not all platforms can perform them.
        suggest((error.localizedRecoveryOptions ?? []).prefix(Self.optionLimit).compactMap(Self.bounded))
    }

    /// Uses the options as the suggestion if there is no other.
    private mutating func suggest(_ options: [String]) {
        if recoverySuggestion == nil, !options.isEmpty { recoverySuggestion = options.joined(separator: " / ") }
    }

    /// Returns the text, truncated if it is too long; nil if it is empty or Foundation's sentence with a domain.
    private static func bounded(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let end = text.utf8.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex) ?? text.endIndex
        guard end < text.endIndex else { return namesADomain(text) ? nil : text }
        // Don't truncate within a Unicode scalar.
        let beginning = text[..<text.unicodeScalars.index(after: text.unicodeScalars.index(before: end))]
        return namesADomain(beginning) ? nil : beginning.appending("…")
    }

    /// Returns whether a text contains Foundation's sentence with a domain and a code.
    ///
    /// The sentence ends with "(Module.Type error 7.)", where "error" might be in another language. It is recognized by
    /// parentheses that end with a number and a period and that contain a qualified type name or the word "Domain". If
    /// the text contains "The operation could", any domain before " error" is enough.
    private static func namesADomain(_ text: some StringProtocol) -> Bool {
        let pieces = text.split(separator: ".)", omittingEmptySubsequences: false)
        guard pieces.count > 1 else { return false }
        let isOfAnOperation = text.contains("The operation could")
        return pieces.dropLast().contains { piece in
            guard let space = piece.lastIndex(of: " "), Int(piece[piece.index(after: space)...]) != nil,
                let parenthesis = piece[..<space].lastIndex(of: "(")
            else { return false }
            let words = piece[..<space].suffix(from: piece.index(after: parenthesis))
            // The name of a type in a private context contains parentheses itself, so `words` can begin within the
            // name.
            let isAName = words.split(separator: ".").dropFirst().contains { $0.first?.isLetter == true }
            return isAName || words.contains("Domain") || isOfAnOperation && words.hasSuffix(" error")
        }
    }
}
