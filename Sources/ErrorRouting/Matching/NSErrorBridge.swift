import Foundation

/// The three Swift error types that an `NSError` object may become, each by its own domain.
///
/// Written out, not cast: on Linux `NSError as? CocoaError` succeeds for every domain, and `NSError as? URLError` for
/// none.
enum NSErrorBridge {
    /// Answers how an `NSError` becomes an `E`, or nil where `E` is none of the three.
    static func bridge<E: Error>(to type: E.Type) -> (@Sendable (NSError) -> E?)? {
        if type == URLError.self { return { urlError($0) as? E } }
        if type == CocoaError.self { return { cocoaError($0) as? E } }
        if type == POSIXError.self { return { posixError($0) as? E } }
        return nil
    }

    /// Whether a type is one of the three.
    static func isBridged(_ type: any Error.Type) -> Bool {
        type == URLError.self || type == CocoaError.self || type == POSIXError.self
    }

    /// Whether two `NSError` objects are equal, as `isEqual` has it.
    ///
    /// What it compares first is compared here before: on Linux `isEqual` crashes on user infos with Swift errors in an
    /// array, and most unequal errors differ before that.
    static func areEqual(_ first: NSError, _ second: NSError) -> Bool {
        if first === second { return true }
        return first.code == second.code && first.domain == second.domain
            && first.userInfo.count == second.userInfo.count
            && first.userInfo.keys.allSatisfy { second.userInfo[$0] != nil }
            && first.isEqual(second)
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
