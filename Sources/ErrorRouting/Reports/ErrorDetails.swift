/// What an error says of itself: its kind, its message for developers, and the place where it was created.
///
/// An error of your own conforms to ``ErrorDetailsProviding``. For the errors of other packages, use
/// ``ErrorBus/Configuration/details``:
///
/// ```swift
/// configuration.details = ErrorMap()
///     .on(PSQLError.self) { ErrorDetails(kind: $0.code.description, message: $0.serverInfo?[.message]) }
/// ```
///
/// A value of the map goes before the error's own, each field by itself. A field that neither has is nil.
public struct ErrorDetails: Sendable, Hashable {
    /// The kind, such as `uniqueViolation`; nil if the type and the case say enough.
    ///
    /// It replaces the name of an enum's case in fingerprints, flood limits, dimensions, lines, and records. Use few
    /// values, which are the same in every release: neither identifiers nor numbers of cases.
    public var kind: String?
    /// The message for developers; nil for that of ``ErrorReport/message``'s other sources.
    ///
    /// It replaces the error's description everywhere but on the user's screen.
    public var message: String?
    /// The place where the error was created or thrown, if it knows it; see ``ErrorReport/origin``.
    public var source: ErrorReport.Source?

    /// Creates details.
    ///
    /// - Parameters:
    ///   - kind: The kind; nil if the type and the case say enough.
    ///   - message: The message for developers; nil for the error's description.
    ///   - source: The place where the error was created or thrown; nil if it is unknown.
    public init(kind: String? = nil, message: String? = nil, source: ErrorReport.Source? = nil) {
        (self.kind, self.message, self.source) = (kind, message, source)
    }
}

/// An error that says of itself what reports, logs, and metrics show of it.
///
/// ```swift
/// extension StorageError: ErrorDetailsProviding {
///     var errorDetails: ErrorDetails { ErrorDetails(kind: code.name, message: "\(operation): \(reason)") }
/// }
/// ```
public protocol ErrorDetailsProviding: Error {
    /// The error's kind, message, and place; computed at each access.
    var errorDetails: ErrorDetails { get }
}

/// A bus's table of the details of other packages' errors.
struct DetailsTable: Sendable {
    let details: @Sendable (any Error) -> ErrorDetails?
}

extension ErrorDetails {
    /// Reads an error's details, which is user code: the table's, and the error's own for the fields that the table
    /// leaves out.
    ///
    /// If user code is nested too deeply, all fields are nil.
    init(of error: any Error, by table: DetailsTable?) {
        self.init()
        let type = type(of: error)
        let provides = type is any ErrorDetailsProviding.Type
        guard provides || table != nil, let entry = PerThread.enterUserCode() else { return }
        defer { PerThread.leaveUserCode(entry) }
        if let given = table?.details(error) { self = given }
        guard provides, let own = (error as? any ErrorDetailsProviding)?.errorDetails else { return }
        kind = kind ?? own.kind
        message = message ?? own.message
        source = source ?? own.source
    }
}
