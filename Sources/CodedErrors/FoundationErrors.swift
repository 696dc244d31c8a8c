import ErrorRouting
import Foundation

/// Foundation's error types, whose errors can be rebuilt from a domain and a code.
package enum FoundationErrors {
    /// Whether a name is that of one of the types.
    ///
    /// The module of such a type differs between platforms, and a server's errors might be replayed on another
    /// platform.
    package static func contains(typeName: String) -> Bool {
        let parts = typeName.split(separator: ".")
        let hasModule = parts.count == 2 && (parts[0].hasPrefix("Foundation") || parts[0] == "__C")
        return (hasModule || parts.count == 1)
            && ["NSError", "URLError", "CocoaError", "POSIXError"].contains(parts[parts.count - 1])
    }

    /// Returns the error with a domain and a code; nil if they are unknown or if the name isn't that of one of the types.
    ///
    /// It has the domain's Swift type if that type defines the code; otherwise it is an `NSError`.
    package static func error(typeName: String, domain: String?, code: Int?) -> (any Error)? {
        guard contains(typeName: typeName), let domain, let code else { return nil }
        let error = NSError(domain: domain, code: code)
        return NSErrorBridge.swiftError(error) ?? error
    }
}
