import BoundedDescriptions
import ErrorRouting
import Foundation
import HTTPErrors

extension ErrorHandler {
    /// The application's preset, which hides the library's preset of the same name in this module.
    static var `default`: ErrorHandler { .orderIntake(ledger: .shared) }

    /// Returns the rules of the order intake, on top of the library's; rules for one part only are in `IntakeScopes`.
    ///
    /// Each concern has its own handler, and `overlaid(with:)` combines them: the handler that is overlaid last is
    /// tried first. Within a handler, too, the rule registered last is tried first, so the general rule comes before
    /// the special ones.
    ///
    /// - Parameter ledger: Where the actions record what they did. What they need to know about an error, such as its
    ///   file or order, is in the report's metadata.
    static func orderIntake(ledger: Ledger) -> ErrorHandler {
        .standardError
            .overlaid(with: fallbacks(ledger))
            .overlaid(with: files(ledger))
            .overlaid(with: orders(ledger))
            .overlaid(with: payments(ledger))
            .overlaid(with: failures(ledger))
    }

    /// Counts files whose error no rule matches, which stay in the inbox.
    ///
    /// `.next` lets the library's `onNoMatch` run too, which writes a line about the error.
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

    /// Rules for entries of the inbox that cannot be read.
    ///
    /// They match by domain and code, because `POSIXError` is one type for everything that can go wrong with files.
    private static func files(_ ledger: Ledger) -> ErrorHandler {
        ErrorHandler()
            // The folder listed the entry: its sender has removed it since, or it is a link to nothing.
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

    /// Rules for orders that must not be accepted.
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

    /// Rules for payments that failed.
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

    /// Rules for actions that failed.
    ///
    /// They are tried first, so that no other rule matches the error under the failure.
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
    /// The metadata key under which workers post the file that they are reading.
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

/// An error about a file was posted without the file's name.
struct ReportWithoutFile: Error {
    let source: ErrorReport.Source
}
