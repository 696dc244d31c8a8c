package import Foundation

extension NSError {
    /// The same error, whose texts can be asked for whatever its code is.
    ///
    /// Foundation on Linux has the reason of an error of `NSPOSIXErrorDomain` from the system, and traps if the code is
    /// no `Int32`. The description has the same reason.
    package var withReason: NSError {
        #if canImport(Darwin)
            return self
        #else
            guard domain == NSPOSIXErrorDomain, Int32(exactly: code) == nil else { return self }
            // What the system says of other codes that it does not know.
            let reason = [NSLocalizedFailureReasonErrorKey: "Unknown error \(code)"]
            return NSError(domain: domain, code: code, userInfo: userInfo.merging(reason) { own, _ in own })
        #endif
    }
}
