import Foundation

/// The three Swift error types that an `NSError` object may become, each by its own domain.
///
/// Written out, not cast: on Linux `NSError as? CocoaError` succeeds for every domain, and `NSError as? URLError` for
/// none.
enum NSErrorBridge {
    /// Returns how an `NSError` becomes an `E`, or nil where `E` is none of the three.
    static func bridge<E: Error>(to type: E.Type) -> (@Sendable (NSError) -> E?)? {
        if type == URLError.self { return { urlError($0) as? E } }
        if type == CocoaError.self { return { cocoaError($0) as? E } }
        if type == POSIXError.self { return { posixError($0) as? E } }
        return nil
    }

    /// An error as `as NSError` gives it: its domain, code and user info are asked, which on Linux includes what a
    /// `LocalizedError` says.
    ///
    /// - Returns: The error; nil if it must not be asked, since it is asking about itself.
    static func bridged(_ error: any Error) -> NSError? {
        guard let entry = PerThread.enterMatcher() else { return nil }
        defer { PerThread.leaveMatcher(entry) }
        return error as NSError
    }

    /// Whether a type is one of the three.
    static func isBridged(_ type: any Error.Type) -> Bool {
        type == URLError.self || type == CocoaError.self || type == POSIXError.self
    }

    /// Whether two `NSError` objects are equal, as `isEqual` has it.
    ///
    /// On Linux Foundation's `isEqual` crashes where both have Swift errors in an array or the like; there such errors
    /// equal nothing but themselves, and so do errors that hold too much to be looked through.
    static func areEqual(_ first: NSError, _ second: NSError) -> Bool {
        #if !canImport(Darwin)
            if first.code == second.code, first.domain == second.domain,
                mayHoldErrors(first.userInfo) || mayHoldErrors(second.userInfo)
            {
                return first === second
            }
        #endif
        return first.isEqual(second)
    }

    /// How many values of a user info, and of what is in it, are looked at.
    private static let lookLimit = 1_024
    /// How deep containers and the user infos of `NSError`s are looked into: `isEqual` calls itself for each.
    private static let depthLimit = 64

    /// Whether there may be errors in a container in a user info, or in that of an `NSError` in it.
    ///
    /// A loop with a budget: the chain of errors under an error can be as long as someone makes it, or endless.
    private static func mayHoldErrors(_ userInfo: [String: Any]) -> Bool {
        var pending: [(value: Any, isContained: Bool, depth: Int)] = []
        var looks = 0
        /// Puts values on the list; returns whether they were too many, or too deep.
        func isTooMuch(_ values: some Sequence<Any>, areContained: Bool, depth: Int) -> Bool {
            for value in values {
                looks += 1
                if looks > lookLimit || depth > depthLimit { return true }
                pending.append((value, areContained, depth))
            }
            return false
        }
        if isTooMuch(userInfo.values, areContained: false, depth: 1) { return true }
        while let (value, isContained, depth) = pending.popLast() {
            if let error = value as? any Error {
                if isContained { return true }
                guard type(of: error) is NSError.Type else { continue }
                let values = (error as NSError).userInfo.values
                if isTooMuch(values, areContained: false, depth: depth + 1) { return true }
            } else if isTooMuch(elements(of: value), areContained: true, depth: depth + 1) {
                return true
            }
        }
        return false
    }

    /// What is in a container, as far as it will be looked at; empty for what is none.
    private static func elements(of value: Any) -> [Any] {
        func first<Elements: Sequence>(_ elements: Elements) -> [Any] { Array(elements.prefix(lookLimit + 1)) }
        // Foundation's containers; other objects are not looked into.
        if type(of: value) is AnyClass { return (value as? any NSObject & Sequence).map { first($0) } ?? [] }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection, .set, .dictionary, .tuple: return first(mirror.children.lazy.map(\.value))
        default: return []
        }
    }

    private static func urlError(_ error: NSError) -> URLError? {
        guard error.domain == NSURLErrorDomain else { return nil }
        #if canImport(FoundationNetworking)
            // Here `URLError.Code` is a closed list, and `URLError.code` traps on a code that is not in it.
            guard URLError.Code(rawValue: error.code) != nil else { return nil }
        #endif
        return URLError(_nsError: error)
    }

    private static func cocoaError(_ error: NSError) -> CocoaError? {
        guard error.domain == NSCocoaErrorDomain else { return nil }
        return CocoaError(CocoaError.Code(rawValue: error.code), userInfo: error.userInfo)
    }

    private static func posixError(_ error: NSError) -> POSIXError? {
        guard error.domain == NSPOSIXErrorDomain, let raw = Int32(exactly: error.code),
            let code = POSIXErrorCode(rawValue: raw)
        else { return nil }
        return POSIXError(code, userInfo: error.userInfo)
    }
}
