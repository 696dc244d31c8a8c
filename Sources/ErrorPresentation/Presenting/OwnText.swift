import BoundedDescriptions
import Foundation

/// An error's texts for users, from `LocalizedError`, the keys of an `NSError`, or `RecoverableError`.
///
/// The error's description is never used, because it is for developers. Foundation's sentence for an error without texts
/// is never used either, because it contains only a domain and a code.
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
        message = message ?? Self.bounded(Self.description(of: error))
        failureReason = failureReason ?? Self.bounded(error.localizedFailureReason)
        recoverySuggestion = recoverySuggestion ?? Self.bounded(error.localizedRecoverySuggestion)
        // Only mention an `NSError`'s options, because not all platforms can perform them.
        suggest((error.localizedRecoveryOptions ?? []).prefix(Self.optionLimit).compactMap(Self.bounded))
    }

    /// Returns the description that the error or its domain provides, or Foundation's sentence for a known code; nil if
    /// Foundation's sentence would contain nothing but the domain and the code.
    private static func description(of error: NSError) -> String? {
        let key = NSLocalizedDescriptionKey
        if let own = error.userInfo[key] as? String { return own }
        if let own = NSError.userInfoValueProvider(forDomain: error.domain)?(error, key) as? String { return own }
        // Only a sentence about a known code states a reason.
        return error.localizedFailureReason == nil ? nil : error.localizedDescription
    }

    /// Uses the options as the suggestion if there is no other.
    private mutating func suggest(_ options: [String]) {
        if recoverySuggestion == nil, !options.isEmpty { recoverySuggestion = options.joined(separator: " / ") }
    }

    /// Returns the text, truncated if it is too long; nil if it is empty.
    private static func bounded(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let end = text.utf8.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex) ?? text.endIndex
        guard end < text.endIndex else { return text }
        // Don't truncate within a Unicode scalar.
        return text[..<text.unicodeScalars.index(after: text.unicodeScalars.index(before: end))].appending("…")
    }
}
