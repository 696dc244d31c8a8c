public import ErrorRouting
import Foundation

extension ErrorRecorder {
    /// The error of a recorder that can't open its file, with the system's error as its underlying error.
    public struct CannotOpen: UnderlyingErrorsProviding, CustomStringConvertible {
        /// The path that was passed to the recorder.
        public let path: String
        /// The system's error number, such as `EACCES`.
        public let code: Int32

        /// Creates the error for a file that can't be opened.
        ///
        /// - Parameters:
        ///   - path: The path that was passed to the recorder.
        ///   - code: The system's error number.
        public init(path: String, code: Int32) {
            self.path = path
            self.code = code
        }

        /// The system's error, in the domain `NSPOSIXErrorDomain`.
        public var underlyingErrors: [any Error] { [NSError(domain: NSPOSIXErrorDomain, code: Int(code))] }

        /// The path and the reason: `/var/log/errors.jsonl cannot be opened: Permission denied`.
        public var description: String { "\(path) cannot be opened: \(unsafe String(cString: strerror(code)))" }
    }
}
