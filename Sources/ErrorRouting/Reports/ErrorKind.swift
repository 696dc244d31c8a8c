import BoundedDescriptions

/// What kind an error is of, in words, each asked for at most once: its type, its case, and its domain and code.
struct ErrorKind {
    let typeName: String
    private let name: String?
    private let error: any Error

    /// Not asked for before it is needed: that bridges the error, and the name of a case says more.
    private(set) lazy var domainAndCode: (domain: String, code: Int)? =
        ErrorText.code(of: error).map { (OneLine.escaped($0.domain), $0.code) }

    init(of error: any Error) {
        typeName = ErrorText.typeName(of: error)
        name = ErrorText.caseName(of: error)
        self.error = error
    }

    var caseName: String? { name.map(OneLine.escaped) }

    /// The type, with the case or else the domain and code if it has any: `Intake.PaymentError.declined`,
    /// `Foundation.URLError(NSURLErrorDomain -1009)`, `Intake.Offline`.
    ///
    /// The same in every run, and, where nothing was renamed, in every release: a case's number would change with a new
    /// case before it.
    var fingerprint: String {
        mutating get {
            if let name { return "\(typeName).\(OneLine.bare(name))" }
            return domainAndCode.map { "\(typeName)(\($0.domain) \($0.code))" } ?? typeName
        }
    }
}
