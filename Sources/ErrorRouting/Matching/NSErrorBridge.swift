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
    /// On Linux Foundation's `isEqual` crashes where both have Swift errors in an array or the like; there such errors
    /// equal nothing but themselves.
    static func areEqual(_ first: NSError, _ second: NSError) -> Bool {
        #if !canImport(Darwin)
            if first.code == second.code, first.domain == second.domain,
                holdsErrors(first.userInfo) || holdsErrors(second.userInfo)
            {
                return first === second
            }
        #endif
        return first.isEqual(second)
    }

    /// Whether there are errors in a container in a user info, or in that of an `NSError` in it.
    private static func holdsErrors(_ userInfo: [String: Any]) -> Bool {
        userInfo.values.contains { value in
            if let error = value as? any Error {
                return type(of: error) is NSError.Type && holdsErrors((error as NSError).userInfo)
            }
            return holdsErrors(inContainer: value, depth: 0)
        }
    }

    private static func holdsErrors(inContainer value: Any, depth: Int) -> Bool {
        if value is any Error { return true }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection, .set, .dictionary, .tuple:
            return depth < 4 && mirror.children.contains { holdsErrors(inContainer: $0.value, depth: depth + 1) }
        default:
            return false
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
