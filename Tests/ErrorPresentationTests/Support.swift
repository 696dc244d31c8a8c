import ErrorRouting
import Foundation
import Observation
import TestSupport
import Testing

@testable import ErrorPresentation

extension ErrorMap where Value == PresentationStyle {
    /// Rules that show every error as an alert.
    static var alerts: Self { ErrorMap(default: .alert) }
}

/// An error with a message for users.
struct Plain: LocalizedError, Equatable {
    var text: String

    init(_ text: String) { self.text = text }

    var errorDescription: String? { text }
}

/// An error without a message for users.
enum Silent: Error, Equatable { case secretCase(code: Int) }

/// An action of a presenter, or a load, that fails a given number of times.
@MainActor
final class Flaky {
    private(set) var attempts = 0
    var failures: Int

    init(failures: Int) { self.failures = failures }

    func run() throws -> Int {
        attempts += 1
        if attempts <= failures { throw Plain("attempt \(min(attempts, 1)) failed") }
        return attempts
    }
}

/// Waits until a presenter, a loader, or a bus has reached the state that the caller's line describes.
///
/// If another thread wakes the main actor, a test has nothing else to wait for. A failure shows the caller's line.
@MainActor
func waitUntil(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
    _ condition: () -> Bool
) async {
    await eventually(
        "this line's condition is true", fileID: fileID, filePath: filePath, line: line, column: column, condition)
}

extension ErrorPresenter {
    /// The error in a view that shows one error at a time, regardless of its style.
    var current: PresentedError? { alert ?? banner ?? inline }
    /// Closes the shown error of a style, as a binding does that is set to nil.
    func closeShown(_ style: PresentationStyle) {
        if let error = shown(as: style) { self.close(error) }
    }

    /// How many errors wait behind the shown errors, not counting errors that the main actor hasn't processed.
    var waiting: Int { settled.waiting }
    /// How many errors the main actor discarded.
    var discarded: Int { settled.discarded }

    /// Whether the counts agree with the statistics, and none is negative.
    var isSound: Bool {
        let statistics = statistics
        return waiting <= statistics.waiting && discarded <= statistics.discarded
            && [statistics.shown, statistics.waiting, statistics.merged, statistics.discarded, statistics.neverShown]
                .allSatisfy { $0 >= 0 }
    }
}

extension ErrorPresenter.Statistics {
    /// Creates counts and checks their sum.
    init(
        received: Int, shown: Int = 0, waiting: Int = 0, merged: Int = 0, discarded: Int = 0, neverShown: Int = 0
    ) {
        self.init(shown: shown, waiting: waiting, merged: merged, discarded: discarded, neverShown: neverShown)
        expect(self.received, equals: received, "the expected counts don't add up")
    }
}

extension OwnViewMark {
    /// Returns the metadata of an error's report with the mark.
    static func metadata(for error: any Error) -> [String: String] {
        [key: ErrorReport(error: error, source: ErrorReport.Source()).typeName]
    }
}

/// A poster that records the posted errors.
final class RecordingPoster: ErrorPosting {
    private let posts = Locked<
        [(error: any Error, role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source)]
    >([])

    var errors: [any Error] { posts.withLock { $0.map(\.error) } }
    var roles: [ErrorReport.Role] { posts.withLock { $0.map(\.role) } }
    var metadata: [[String: String]] { posts.withLock { $0.map(\.metadata) } }
    var sources: [ErrorReport.Source] { posts.withLock { $0.map(\.source) } }

    func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        let error = error
        posts.withLock { $0.append((error, role, metadata, source)) }
    }

    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        post(error, as: .failure, metadata: metadata, source: source)
        return HandleOutcome(disposition: .handled)
    }
}
