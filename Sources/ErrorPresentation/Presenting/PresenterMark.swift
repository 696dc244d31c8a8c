import ErrorRouting
import Synchronization

/// How a presenter knows an error again that it has presented and posted.
///
/// An error has no identity: boxed anew it is the same, and two that are equal are not. So the presenter leaves its own
/// number in the metadata of what it posts, with the error's type: metadata is handed on to errors that follow (an
/// `ActionFailure` has that of the report whose action failed), and those are other errors, which nobody has seen.
struct PresenterMark: Sendable {
    /// The key in a report's metadata.
    static let key = "presentation.shown"

    private static let last = Atomic<UInt64>(0)
    private let number = last.add(1, ordering: .relaxed).newValue

    /// What to give along with an error that has been presented.
    func metadata(for error: any Error) -> [String: String] { [Self.key: value(for: error)] }

    /// Whether an error has been presented already.
    func isOn(_ metadata: [String: String], of error: any Error) -> Bool {
        guard let mark = metadata[Self.key] else { return false }
        return mark == value(for: error)
    }

    private func value(for error: any Error) -> String {
        "\(number) \(ErrorReport(error: error, source: ErrorReport.Source()).typeName)"
    }
}
