import ErrorRouting
import Foundation
import HTTPErrors

extension ErrorHandler {
    /// The application's preset, which has the name of the library's, and wins over it in this module.
    static var `default`: ErrorHandler { .orderIntake(ledger: .shared) }

    /// The rules of the order intake, on top of the library's; what holds in one part of it alone is in `IntakeScopes`.
    ///
    /// Each concern has its own handler, and `overlaid(with:)` puts them together: what comes later is tried first. So
    /// it is within a handler: the general rule is registered first, and the special ones after it.
    ///
    /// - Parameter ledger: Where the actions enter what they did. What they need to know of an error (which file, which
    ///   order) comes with the error, in the report's metadata.
    static func orderIntake(ledger: Ledger) -> ErrorHandler {
        .standardError
            .overlaid(with: fallbacks(ledger))
            .overlaid(with: files(ledger))
            .overlaid(with: orders(ledger))
            .overlaid(with: payments(ledger))
            .overlaid(with: failures(ledger))
    }

    /// What no rule knows stays in the inbox; `.next` lets the library's `onNoMatch` write the line that tells of it.
    private static func fallbacks(_ ledger: Ledger) -> ErrorHandler {
        ErrorHandler()
            .onNoMatch { _ in
                ledger.record(.left)
                return .next
            }
            .always { _ in
                ledger.recordError()
                return .next
            }
    }

    /// Entries of the inbox that cannot be read.
    ///
    /// By domain and code, because `POSIXError` has one type for everything that can go wrong with files.
    private static func files(_ ledger: Ledger) -> ErrorHandler {
        ErrorHandler()
            // It was there when the folder was listed. Its sender took it back, or it was a link to nowhere.
            .ignore(domain: NSPOSIXErrorDomain, code: Int(ENOENT))
            .on(domain: NSPOSIXErrorDomain, code: Int(EACCES)) { _ in
                ledger.record(.left)
                return .stop
            }
            .on(SpecialFile.self) { _ in
                ledger.record(.left)
                return .stop
            }
            .on(domain: NSPOSIXErrorDomain, code: Int(EISDIR)) { _ in
                ledger.record(.left)
                return .stop
            }
            .on(FileTooLarge.self) { error, report in
                ledger.record(.left)
                let file = report.metadata[ErrorReport.orderFileKey] ?? "a file"
                Console.writeError("\(OneLine.quoted(file)) is no order: \(error)")
                return .stop
            }
    }

    /// Orders that must not be accepted.
    private static func orders(_ ledger: Ledger) -> ErrorHandler {
        ErrorHandler()
            .on(OrderError.self) { _ in
                ledger.record(.refused)
                return .stop
            }
            .on(
                matching: .extracting(OrderError.self) { if case .overLimit(let cents) = $0 { cents } else { nil } }
                    .named("OrderError.overLimit")
            ) { cents in
                ledger.hold(cents: cents)
                return .stop
            }
            .on(OrderError.noLines) { _ in
                ledger.record(.abandoned)
                return .stop
            }
    }

    /// Payments that came to nothing.
    private static func payments(_ ledger: Ledger) -> ErrorHandler {
        ErrorHandler()
            .on(NetworkError.self) { _ in
                ledger.record(.declined)
                return .stop
            }
            .on(matching: .transient) { _ in
                ledger.record(.due)
                return .stop
            }
    }

    /// Actions that failed themselves.
    ///
    /// Tried first: the error under a failure is not to be taken for a new one.
    private static func failures(_ ledger: Ledger) -> ErrorHandler {
        ErrorHandler()
            .on(ActionFailure.self) { failure in
                ledger.record(.left)
                let file = failure.report.metadata[ErrorReport.orderFileKey] ?? "a file"
                let reason = failure.error.localizedDescription
                Console.writeError(
                    "\(OneLine.quoted(file)) could not be moved to quarantine: \(OneLine.escaped(reason))")
                return .stop
            }
    }
}

extension ErrorReport {
    /// The key under which workers give along the file that they are reading.
    static let orderFileKey = "file"

    /// The file that the error is about.
    var orderFile: FilePath {
        get throws {
            guard let file = metadata[Self.orderFileKey].flatMap(FilePath.init(text:)) else {
                throw ReportWithoutFile(source: source)
            }
            return file
        }
    }
}

/// Somebody posted an error about a file, and did not say which.
struct ReportWithoutFile: Error {
    let source: ErrorReport.Source
}
