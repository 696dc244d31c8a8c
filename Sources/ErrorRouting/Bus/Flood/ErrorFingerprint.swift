import Foundation

/// What makes two errors be of one kind to a flood limit: type, code, and posting line.
///
/// No string is built for it: an `NSError`'s domain is taken as it is, and texts are compared only where all else is
/// equal.
struct ErrorFingerprint: Hashable, Sendable {
    private let type: ObjectIdentifier
    private let code: ErrorCode
    private let source: ErrorReport.Source

    /// Puts together what is known of a posted error; asks it nothing.
    init(of error: any Error, code: ErrorCode, at source: ErrorReport.Source) {
        type = ObjectIdentifier(Swift.type(of: error))
        self.code = code
        self.source = source
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(code.number)
        hasher.combine(source.line)
    }

    static func == (first: ErrorFingerprint, second: ErrorFingerprint) -> Bool {
        first.type == second.type && first.source.line == second.source.line && first.code == second.code
            && first.source.fileID == second.source.fileID
    }
}

/// An error's code: an enum's case, an `NSError`'s domain and code.
struct ErrorCode: Equatable, Sendable {
    let number: Int
    let domain: String?

    /// Asks an error for its code, which may run code of the user's.
    init(of error: any Error) {
        let type = type(of: error)
        if type is NSError.Type || NSErrorBridge.isBridged(type) {
            let error = NSErrorBridge.bridged(error)
            number = error?.code ?? 0
            domain = error?.domain
        } else {
            // By default an enum's case, and 1 for a struct, whatever it holds; its `errorCode` where it has one, which
            // may post the error itself.
            let entry = PerThread.enterMatcher()
            number = entry == nil ? 0 : error._code
            domain = nil
            if let entry { PerThread.leaveMatcher(entry) }
        }
    }
}
