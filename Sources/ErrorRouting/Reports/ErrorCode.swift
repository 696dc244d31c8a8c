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
        self.type = ObjectIdentifier(NSErrorBridge.isBridged(type) ? NSError.self : type)
        guard let entry = PerThread.enterUserCode() else {
            (number, domain) = (0, nil)
            return
        }
        defer { PerThread.leaveUserCode(entry) }
        if NSErrorBridge.isNSErrorOrBridged(type) {
            let error = error as NSError
            (number, domain) = (error.code, error.domain)
        } else {
            // This is the number of an enum's case, or 1 for a struct. For a `CustomNSError` it is its `errorCode`,
            // which might post the error itself.
            (number, domain) = (error._code, nil)
        }
    }
}
