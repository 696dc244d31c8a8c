import Foundation

/// An error's type and code.
///
/// The code is the number of an enum's case, or the domain and code of an `NSError` or of a Swift type of Foundation.
struct ErrorCode: Equatable, Sendable {
    let type: ObjectIdentifier
    let number: Int
    let domain: String?

    /// Reads an error's code, which might run user code.
    init(of error: any Error) {
        let type = Swift.type(of: error)
        if NSErrorBridge.isNSErrorOrBridged(type) {
            self.type = ObjectIdentifier(NSErrorBridge.isBridged(type) ? NSError.self : type)
            let error = NSErrorBridge.bridged(error)
            number = error?.code ?? 0
            domain = error?.domain
        } else {
            self.type = ObjectIdentifier(type)
            // This is the number of an enum's case, or 1 for a struct. For a `CustomNSError` it is its `errorCode`,
            // which might post the error itself.
            let entry = PerThread.enterMatcher()
            number = entry == nil ? 0 : error._code
            domain = nil
            if let entry { PerThread.leaveMatcher(entry) }
        }
    }
}
