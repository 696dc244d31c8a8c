import BoundedDescriptions

/// An error and the parts of it that reports show, each read once: its type, its case, and its details.
///
/// Apart from the type's name and the fingerprints, the strings are neither truncated nor escaped.
struct DescribedError {
    let typeName: String
    /// The name of an enum's case; nil for other errors.
    let caseName: String?
    let details: ErrorDetails?
    private let error: any Error

    init(_ error: any Error, by table: DetailsTable? = nil) {
        self.error = error
        details = .of(error, by: table)
        typeName = ErrorText.typeName(of: error)
        caseName = EnumCase.name(of: error)
    }

    /// The first of these that exists: the kind that the error's details provide, the name of an enum's case.
    var kind: String? { details?.kind ?? caseName }

    /// The place that the error's details provide, without a line if that is 0; nil if they don't provide one.
    var origin: ErrorOrigin? {
        details?.source.map { ErrorOrigin(frames: [.init(file: $0.fileID, line: $0.line == 0 ? nil : $0.line)]) }
    }

    /// The message.
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
        kind.map(named) ?? coded(domainAndCode()) ?? typeName
    }

    /// The type with the first of these that the error has: a case, a domain and code, its own kind.
    ///
    /// This is the fingerprint of an underlying error, which a replay compares with the fingerprint of a rebuilt error.
    /// The replay has no table of details, and its rules might need the domain and the code.
    var fingerprintForReplay: String {
        caseName.map(named) ?? coded(ErrorText.domainAndCode(of: error))
            ?? ErrorDetails.of(error, by: nil)?.kind.map(named) ?? typeName
    }

    private func coded(_ code: (domain: String, code: Int)?) -> String? {
        code.map { "\(typeName)(\(OneLine.escaped($0.domain)) \($0.code))" }
    }

    private func named(_ name: String) -> String { "\(typeName).\(OneLine.bare(name))" }
}
