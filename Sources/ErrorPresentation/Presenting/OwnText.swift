import BoundedDescriptions
import Foundation

/// An error's own texts for the user, from `LocalizedError`, `NSError` keys or properties, or `RecoverableError`.
///
/// The error's description is never used, because it is for developers. Foundation's sentence for an error without
/// texts is never used either, because it contains only a domain and a code.
struct OwnText {
    /// The message for an error without texts for users, in the app's language if the app translates it.
    static let unknown = Bundle.main.localizedString(
        forKey: "The operation could not be completed.", value: nil, table: nil)
    /// The maximum length of a text in UTF-8 bytes.
    static let limit = 16 * 1024

    private(set) var title: String?
    private(set) var message: String?
    private(set) var failureReason: String?
    private(set) var recoverySuggestion: String?
    /// The options that can be performed.
    private(set) var recoveryOptions: [String] = []
    /// The positions of these options among all of the error's options.
    private(set) var optionPositions: [Int] = []

    /// Reads the texts of an error that isn't in an existential box.
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

    /// Fills in missing texts from the error's user info and its domain's provider.
    private mutating func readKeys(of error: NSError) {
        title = title ?? Self.bounded(Self.value("NSLocalizedFailure", of: error))
        message = message ?? Self.bounded(Self.description(of: error))
        let reason: String? = Self.value(NSLocalizedFailureReasonErrorKey, of: error)
        failureReason = failureReason ?? Self.bounded(error.localizedFailureReason ?? reason)
        let suggestion: String? = Self.value(NSLocalizedRecoverySuggestionErrorKey, of: error)
        recoverySuggestion = recoverySuggestion ?? Self.bounded(error.localizedRecoverySuggestion ?? suggestion)
        let options: [String]? = Self.value(NSLocalizedRecoveryOptionsErrorKey, of: error)
        // Mention an `NSError`'s options only in the suggestion, because not all platforms can perform them.
        suggest((error.localizedRecoveryOptions ?? options ?? []).prefix(Self.optionLimit).compactMap(Self.bounded))
    }

    /// Returns the first of these that exists: the error's own description, its domain's description, its class's
    /// description, Foundation's sentence for a known code.
    ///
    /// The result is nil if Foundation's sentence would contain only the domain and the code.
    private static func description(of error: NSError) -> String? {
        if let own: String = value(NSLocalizedDescriptionKey, of: error) { return own }
        // Compare with a plain `NSError`: the description differs only if a subclass overrides it.
        let text = error.localizedDescription
        let plain = NSError(domain: error.domain, code: error.code, userInfo: error.userInfo)
        if text != plain.localizedDescription { return text }
        // Return only a sentence for a known code: Foundation states a reason only for known codes.
        return error.localizedFailureReason == nil ? nil : text
    }

    /// Returns a value from the error's user info; if it isn't there, from the provider of the error's domain.
    ///
    /// Foundation's properties don't call the provider on all platforms.
    private static func value<Value>(_ key: String, of error: NSError) -> Value? {
        error.userInfo[key] as? Value
            ?? NSError.userInfoValueProvider(forDomain: error.domain)?(error, key) as? Value
    }

    /// Uses the options as the suggestion if the error doesn't provide a suggestion.
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
