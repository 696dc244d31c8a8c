package import Foundation

extension NSError {
    /// The same error, but with strings that are safe to read for every code.
    ///
    /// For `NSPOSIXErrorDomain`, Foundation on Linux reads the failure reason from the system and traps if the code
    /// isn't an `Int32`. The description contains the same reason.
    package var withReason: NSError {
        #if canImport(Darwin)
            return self
        #else
            guard domain == NSPOSIXErrorDomain, Int32(exactly: code) == nil else { return self }
            // Use the system's message for other unknown codes.
            let reason = [NSLocalizedFailureReasonErrorKey: "Unknown error \(code)"]
            return NSError(domain: domain, code: code, userInfo: userInfo.merging(reason) { own, _ in own })
        #endif
    }
}
