import BoundedDescriptions

/// An error and the parts of it that reports show, each read once: its type, its kind, and its details.
struct DescribedError {
    let typeName: String
    /// The kind that the error's details provide; nil if they don't provide one.
    var givenKind: String? { details?.kind.map(OneLine.escaped) }
    /// The place that the error's details provide; nil if they don't provide one.
    var origin: ErrorOrigin? { details.flatMap(ErrorOrigin.init) }

    private let error: any Error
    private let details: ErrorDetails?
    private let rawCaseName: String?

    init(_ error: any Error, by table: DetailsTable? = nil) {
        self.error = error
        details = .of(error, by: table)
        typeName = ErrorText.typeName(of: error)
        rawCaseName = ErrorText.caseName(of: error)
    }

    var kindName: String? { (details?.kind ?? rawCaseName).map(OneLine.escaped) }
    var caseName: String? { rawCaseName.map(OneLine.escaped) }

    /// The message, neither truncated nor escaped.
    var message: String { messageAndFields.message }

    /// The message, together with the error's fields if they were read for the message.
    var messageAndFields: (message: String, fields: ReflectedFields?) {
        details?.message.map { ($0, nil) } ?? ErrorText.messageAndFields(of: error)
    }

    /// Returns the type with the first of these that the error has: a kind, a case, a domain and code.
    ///
    /// For example: `Intake.PaymentError.declined`, `Foundation.URLError(NSURLErrorDomain -1009)`, `Intake.Offline`.
    /// The fingerprint is the same in every run and, if no name changes, in every release. A case's number would change
    /// when a case is added before it.
    ///
    /// The domain and code aren't read for a kind or a case: these are more specific, and reading the domain bridges
    /// the error.
    func fingerprint(_ domainAndCode: @autoclosure () -> (domain: String, code: Int)?) -> String {
        (details?.kind ?? rawCaseName).map(named) ?? coded(domainAndCode()) ?? typeName
    }

    /// The type with the first of these that the error has: a case, a domain and code, its own kind.
    ///
    /// This is the fingerprint of an underlying error, which a replay compares with the fingerprint of a rebuilt error.
    /// The replay has no table of details, and its rules might need the domain and the code.
    var fingerprintForReplay: String {
        rawCaseName.map(named) ?? coded(ErrorText.domainAndCode(of: error))
            ?? ErrorDetails.of(error, by: nil)?.kind.map(named) ?? typeName
    }

    private func coded(_ code: (domain: String, code: Int)?) -> String? {
        code.map { "\(typeName)(\($0.domain) \($0.code))" }
    }

    private func named(_ name: String) -> String { "\(typeName).\(OneLine.bare(name))" }
}
