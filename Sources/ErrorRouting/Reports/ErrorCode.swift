import Foundation

/// An error's type and code: the number of an enum's case, or an `NSError`'s domain and code, by which Foundation's
/// Swift types are known too.
struct ErrorCode: Equatable, Sendable {
    let type: ObjectIdentifier
    let number: Int
    let domain: String?

    /// Reads an error's code, which may run code of the user's.
    init(of error: any Error) {
        let type = Swift.type(of: error)
        if NSErrorBridge.isNSErrorOrBridged(type) {
            self.type = ObjectIdentifier(NSErrorBridge.isBridged(type) ? NSError.self : type)
            let error = NSErrorBridge.bridged(error)
            number = error?.code ?? 0
            domain = error?.domain
        } else {
            self.type = ObjectIdentifier(type)
            // The number of an enum's case, or 1 for a struct; for a `CustomNSError` its `errorCode`, which may post
            // the error itself.
            let entry = PerThread.enterMatcher()
            number = entry == nil ? 0 : error._code
            domain = nil
            if let entry { PerThread.leaveMatcher(entry) }
        }
    }
}
