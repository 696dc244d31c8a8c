import Foundation
import Synchronization

/// Functions that fail in ordinary ways and record the errors that they throw.
enum Shop {
    static let thrown = Thrown()

    struct PricesMissing: Error {}

    static func syncOrders() throws { throw thrown.noting(SyncFailed(status: 503)) }

    /// Calls back on its own thread, like many C libraries.
    static func upload(completion: @escaping @Sendable ((any Error)?) -> Void) {
        Thread.detachNewThread {
            let error = URLError(.timedOut)
            completion(error)
            thrown.note(error)
        }
    }

    static func loadMenu() throws -> String {
        do { return try String(contentsOfFile: "/no/such/menu.txt", encoding: .utf8) } catch {
            throw thrown.noting(error)
        }
    }

    static func loadPrices() throws { throw thrown.noting(PricesMissing()) }

    /// Throws when its task has been cancelled, or after a minute.
    static func countStock() async throws {
        await pause(for: .seconds(60))
        throw thrown.noting(StockError.locked)
    }

    static func charge() throws { throw thrown.noting(PaymentError.declined(code: 51)) }

    /// Waits until an error has been thrown, and then a little longer, so that later output is captured too.
    static func waitForErrors() async {
        repeat { await pause(for: .milliseconds(10)) } while thrown.all.isEmpty
    }
}

/// The errors that were thrown.
final class Thrown: Sendable {
    private let errors = Mutex<[any Error]>([])

    var all: [any Error] { errors.withLock { $0 } }

    func removeAll() { errors.withLock { $0 = [] } }

    func note(_ error: any Error) { errors.withLock { $0.append(error) } }

    func noting<E: Error>(_ error: E) -> E {
        note(error)
        return error
    }
}

/// Sleeps, but returns early if the task is cancelled.
func pause(for duration: Duration) async {
    try? await Task.sleep(for: duration)  // error-audit: harmless, because only a cancellation ends the sleep early
}
