import BoundedDescriptions

/// An error with what reports show of it, each part read once: its type, its kind, and its details.
struct DescribedError {
    let typeName: String
    /// The kind that the details give; nil if they give none.
    var givenKind: String? { details?.kind.map(OneLine.escaped) }
    /// The place that the details give; nil if they give none.
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

    /// The message, with the error's fields if they have been read for it.
    var messageAndFields: (message: String, fields: ReflectedFields?) {
        details?.message.map { ($0, nil) } ?? ErrorText.messageAndFields(of: error)
    }

    /// Returns the type with its kind, case, or domain and code, whichever the error has first.
    ///
    /// For example: `Intake.PaymentError.declined`, `Foundation.URLError(NSURLErrorDomain -1009)`, `Intake.Offline`. It
    /// is the same in every run and, if nothing is renamed, in every release. A case's number would change when a case
    /// is added before it.
    ///
    /// - Parameter domainAndCode: The error's domain and code. They are not read for a kind or a case, which says more,
    ///   because reading them bridges the error.
    func fingerprint(_ domainAndCode: @autoclosure () -> (domain: String, code: Int)?) -> String {
        if let name = details?.kind ?? rawCaseName { return named(name) }
        return domainAndCode().map { "\(typeName)(\($0.domain) \($0.code))" } ?? typeName
    }

    /// Returns the type with its case, domain and code, or own kind, whichever the error has first.
    ///
    /// It is the fingerprint of an underlying error, which a replay compares with that of a rebuilt one. The replay has
    /// no table, and its rules can need the domain and the code.
    var fingerprintForReplay: String {
        if let rawCaseName { return named(rawCaseName) }
        if let code = ErrorText.domainAndCode(of: error) { return "\(typeName)(\(code.domain) \(code.code))" }
        return ErrorDetails.of(error, by: nil)?.kind.map(named) ?? typeName
    }

    private func named(_ name: String) -> String { "\(typeName).\(OneLine.bare(name))" }
}
