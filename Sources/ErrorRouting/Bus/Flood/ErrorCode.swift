import Foundation

/// An error's type and code.
///
/// The code is the first of these that applies: the kind that the error's details provide, the number of an enum's
/// case, the domain and code of an `NSError` or of one of Foundation's Swift types.
struct ErrorCode: Equatable, Sendable {
    let type: ObjectIdentifier
    let number: Int
    /// The domain, or the kind that the error's details provide.
    let domain: String?

    /// Creates the code for all errors of a type; doesn't run user code.
    init(ofType error: any Error) { (type, number, domain) = (ObjectIdentifier(Swift.type(of: error)), 0, nil) }

    /// Creates a code for a string that represents an error.
    init(given text: String) { (type, number, domain) = (ObjectIdentifier(String.self), 0, text) }

    /// Reads an error's code, which might run user code.
    init(of error: any Error, by table: DetailsTable? = nil) {
        let type = Swift.type(of: error)
        // Check this only once: the types are in another library.
        let isBridged = NSErrorBridge.isBridged(type)
        self.type = ObjectIdentifier(isBridged ? NSError.self : type)
        if let kind = ErrorDetails.of(error, by: table)?.kind {
            (number, domain) = (0, kind)
            return
        }
        guard let entry = PerThread.enterUserCode() else {
            (number, domain) = (0, nil)
            return
        }
        defer { PerThread.leaveUserCode(entry) }
        if isBridged || type is NSError.Type {
            let error = error as NSError
            (number, domain) = (error.code, error.domain)
        } else {
            // For an enum, this is the number of the case; for a struct, it is 1. For a `CustomNSError`, it calls the
            // user's `errorCode`, which might itself post the error.
            (number, domain) = (error._code, nil)
        }
    }
}
