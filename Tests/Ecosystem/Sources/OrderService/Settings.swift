import ErrorRouting
import Foundation
import Logging

/// What the environment says.
struct Settings {
    /// A variable that is missing, or that makes no sense.
    struct Invalid: Error {
        let variable: String
    }

    /// `PORT`; 0 for any that is free, which the log then tells.
    let port: Int
    /// `DATABASE`, the path of a SQLite file, which is made where there is none.
    let database: String
    /// `SUPPLIER_URL`: whose paths are suppliers.
    let supplier: URL
    /// `PAGER_PATH`: where the supplier takes calls for help; nobody is called where it is not set.
    let pager: String?
    /// `FLOOD_LIMIT`: how many errors of one kind are logged in a second.
    let floodLimit: FloodLimit?
    /// `LOG_LEVEL`, `info` unless it is set.
    let logLevel: Logger.Level

    init(_ environment: [String: String]) throws {
        func value<Value>(_ name: String, _ make: (String) -> Value?) throws -> Value? {
            guard let text = environment[name] else { return nil }
            guard let value = make(text) else { throw Invalid(variable: name) }
            return value
        }
        port = try value("PORT", Int.init) ?? 8080
        database = environment["DATABASE"] ?? "orders.sqlite"
        guard let supplier = try value("SUPPLIER_URL", URL.init(string:)) else {
            throw Invalid(variable: "SUPPLIER_URL")
        }
        self.supplier = supplier
        pager = environment["PAGER_PATH"]
        floodLimit = try value("FLOOD_LIMIT", Int.init).map { FloodLimit(first: $0, per: .seconds(1)) }
        logLevel = try value("LOG_LEVEL", Logger.Level.init(rawValue:)) ?? .info
    }
}
