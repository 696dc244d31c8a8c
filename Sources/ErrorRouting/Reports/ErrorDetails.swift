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
    /// Types without details of their own: a flood limit looks for the kind of each error.
    private static let plainTypes = NonconformingTypes()

    /// Returns an error's details; nil if there are none.
    ///
    /// They are user code: the table's details, and the error's own for the fields that the table leaves out. If user
    /// code is nested too deeply, there are none.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - type: The error's type, which a caller might have read already.
    ///   - table: The bus's table.
    @inline(__always)
    static func of(_ error: any Error, _ type: any Error.Type, by table: DetailsTable?) -> ErrorDetails? {
        let provides = plainTypes.conforms(type) { type is any ErrorDetailsProviding.Type }
        return provides || table != nil ? read(error, table) : nil
    }

    @inline(never)
    private static func read(_ error: any Error, _ table: DetailsTable?) -> ErrorDetails? {
        PerThread.inUserCode {
            let own = (error as? any ErrorDetailsProviding)?.errorDetails
            guard let table, let given = table.details(error) else { return own ?? ErrorDetails() }
            return ErrorDetails(
                kind: given.kind ?? own?.kind, message: given.message ?? own?.message,
                source: given.source ?? own?.source)
        }
    }
}
