import ErrorRecovery
import ErrorRouting
import GRDB

let databaseDetails: ErrorMap<ErrorDetails?> = ErrorMap()
    .on(DatabaseError.self) { ErrorDetails(message: $0.message) }

nonisolated extension ErrorMatcher where Output == DatabaseError {
    static var busy: Self { .type(DatabaseError.self).where { $0.resultCode == .SQLITE_BUSY } }
    static var duplicate: Self {
        .type(DatabaseError.self).where { $0.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE }
    }
}

let databaseRetries = RetryPolicy(decisions: ErrorMap(default: .fail).on(matching: .busy, .retry()))
let statuses = ErrorMap(default: 500).on(matching: .duplicate, 409)
