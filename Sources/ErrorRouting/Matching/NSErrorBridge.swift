import BoundedDescriptions
package import Foundation

/// Converts between `NSError` objects and Swift errors.
///
/// An `NSError` object can become one of three Swift types, which its domain determines. The conversions are written
/// out, because casts of `NSError` objects are wrong on Linux: a cast to `CocoaError` succeeds for every domain, and a
/// cast to `URLError` fails for every domain.
package enum NSErrorBridge {
    /// A Swift type that `NSError` objects can become.
    private struct SwiftType: Sendable {
        let type: any Error.Type
        /// Returns an `NSError` of the type's domain as that type; nil if the type doesn't define its code.
        let error: @Sendable (NSError) -> (any Error)?
    }

    /// The three Swift types by their domains.
    private static let swiftTypes = [
        NSURLErrorDomain: SwiftType(type: URLError.self) { error in
            #if canImport(FoundationNetworking)
                // Check the code: on Linux `URLError.Code` is a closed list, and `URLError.code` traps on other codes.
                guard URLError.Code(rawValue: error.code) != nil else { return nil }
            #endif
            return URLError(_nsError: error)
        },
        NSCocoaErrorDomain: SwiftType(type: CocoaError.self) { error in
            CocoaError(CocoaError.Code(rawValue: error.code), userInfo: error.userInfo)
        },
        NSPOSIXErrorDomain: SwiftType(type: POSIXError.self) { error in
            let code = Int32(exactly: error.code).flatMap(POSIXErrorCode.init(rawValue:))
            return code.map { POSIXError($0, userInfo: error.userInfo) }
        },
    ]

    /// Returns an `NSError` as the Swift type that has its domain; nil if none of the three types has its domain and
    /// code.
    package static func swiftError(_ error: NSError) -> (any Error)? { swiftTypes[error.domain]?.error(error) }

    /// Returns an `NSError` that remains an `NSError` in the existential box of an `any Error`.
    ///
    /// On Apple's platforms, an `NSError` created from a Swift error becomes that error again when it is boxed.
    static func object(_ error: NSError) -> NSError {
        if type(of: error as any Error) is NSError.Type { return error }
        return NSError(domain: error.domain, code: error.code, userInfo: error.userInfo)
    }

    /// Whether a type is one of the three Swift types.
    static func isBridged(_ type: Any.Type) -> Bool { TypeName.isBridged(type) }

    /// Returns the Swift type that has a domain; nil if it isn't the domain of one of the three types.
    static func swiftType(ofDomain domain: String) -> (any Error.Type)? { swiftTypes[domain]?.type }

    /// Whether two `NSError` objects are equal according to `isEqual`.
    ///
    /// On Linux, Foundation's `isEqual` crashes if both user infos contain Swift errors in an array or another
    /// container. Therefore such errors equal only themselves there. So do errors with a user info that is too large to
    /// search.
    static func areEqual(_ first: NSError, _ second: NSError) -> Bool {
        #if !canImport(Darwin)
            if first.code == second.code, first.domain == second.domain,
                mightContainErrors(first.userInfo) || mightContainErrors(second.userInfo)
            {
                return first === second
            }
        #endif
        return first.isEqual(second)
    }

    /// The maximum number of values to inspect in the user info and in the containers and `NSError`s within it.
    private static let inspectionLimit = 1_024
    /// The maximum nesting of containers and user infos, because `isEqual` recurses into each of them.
    private static let depthLimit = 64

    /// Whether a container in the user info, or in the user info of an `NSError` within it, might hold errors.
    ///
    /// The search has limits, because a chain of underlying errors might be very long, or a cycle.
    private static func mightContainErrors(_ userInfo: [String: Any]) -> Bool {
        var inspected = 0
        func mightContain(_ values: some Sequence, areContained: Bool, depth: Int) -> Bool {
            values.contains { value in
                inspected += 1
                if inspected > inspectionLimit || depth > depthLimit { return true }
                if let error = value as? any Error {
                    if areContained { return true }
                    guard type(of: error) is NSError.Type else { return false }
                    return mightContain((error as NSError).userInfo.values, areContained: false, depth: depth + 1)
                }
                guard let elements = elements(of: value) else { return false }
                return mightContain(elements, areContained: true, depth: depth + 1)
            }
        }
        return mightContain(userInfo.values, areContained: false, depth: 1)
    }

    /// Returns a container's elements; nil for other values.
    private static func elements(of value: Any) -> (any Sequence)? {
        // Among objects, inspect only Foundation's containers.
        if type(of: value) is AnyClass { return value as? any NSObject & Sequence }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection, .set, .dictionary, .tuple: return mirror.children.lazy.map(\.value)
        default: return nil
        }
    }
}
