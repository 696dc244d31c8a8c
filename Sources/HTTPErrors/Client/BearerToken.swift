import ErrorRouting
import Foundation

/// A token that is sent with every request, and refreshed once when the server refuses it.
///
/// When many requests get a 401 at the same time, there is one refresh. It goes on even if all tasks that wait for it
/// are cancelled. Copies share the token and its refresh. The description does not contain the token.
public struct BearerToken: Sendable {
    let keeper: TokenKeeper

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - token: The first token.
    ///   - limit: How long a refresh may take; positive. Then it is cancelled, and the requests that wait for it fail.
    ///   - pause: How long no other token is fetched after a refreshed token was refused too; not negative. Requests
    ///     whose token is refused meanwhile fail as `unauthorized` at once.
    ///   - refresh: Fetches a new token. A request that it sends itself with this token does not start another refresh.
    ///     An error that it throws is posted once, and is the cause of the error that each waiting caller gets: one of
    ///     kind `unauthorized`. If the time of the last request that waits for it is over, it goes on, but the next
    ///     request whose token is refused starts another one.
    public init(
        _ token: String,
        limit: Duration = .seconds(60),
        pause: Duration = .seconds(10),
        refresh: @escaping @Sendable () async throws -> String
    ) {
        if limit <= .zero { fatalError("BearerToken: limit must be positive, but is \(limit)") }
        if pause < .zero { fatalError("BearerToken: pause must not be negative, but is \(pause)") }
        keeper = TokenKeeper(token, limit, pause, refresh)
    }
}

extension BearerToken: SecretHolding {
    /// The type's name, without the token.
    public var description: String { "BearerToken" }
}

/// The current token, and the refreshes that are under way.
final class TokenKeeper: Sendable {
    /// The result of a refresh for one waiting caller.
    typealias Refreshed = Result<String, any Error>

    private struct State {
        var token: String
        /// The number of the refresh that the token comes from; 0 for the first token.
        var generation = 0
        /// How many refreshes have begun.
        var count = 0
        /// The refreshes that have not ended: the last one, and those that nobody waits for any more.
        var underWay: Set<Int> = []
        /// Whether callers wait for the last refresh, instead of starting another.
        var isAwaited = false
        var waiters: [Promise<Refreshed>] = []
        /// When the pause after a refused new token ends.
        var pauseEnd: ContinuousClock.Instant?
    }

    /// The keepers whose tokens this task is refreshing, or was when it began, each with the number of its refresh.
    @TaskLocal private static var underWay: [ObjectIdentifier: Int] = [:]

    private let state: Locked<State>
    private let limit: Duration
    private let pause: Duration
    private let refresh: @Sendable () async throws -> String

    init(
        _ token: String, _ limit: Duration, _ pause: Duration, _ refresh: @escaping @Sendable () async throws -> String
    ) {
        state = Locked(State(token: token))
        self.limit = limit
        self.pause = pause
        self.refresh = refresh
    }

    /// The token to send with a request.
    var token: String { state.withLock { $0.token } }

    /// How many callers wait for a refresh.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Whether this task is refreshing the token; if it waited for the refresh, it would wait for itself.
    ///
    /// A task that the refresh has started may outlive it, and then waits for the next one as any other.
    var isRefreshedHere: Bool {
        guard let number = Self.underWay[ObjectIdentifier(self)] else { return false }
        return state.withLock { $0.underWay.contains(number) }
    }

    private enum Step {
        case has(String?)
        case waits
        case begins(Int)
    }

    /// Returns the token to send in place of a refused one; waits for a refresh if needed.
    ///
    /// - Parameters:
    ///   - refused: The refused token.
    ///   - mayBegin: Whether a refresh may be started; false if the refused token is a new one, after which there is a
    ///     pause.
    ///   - limit: How long to wait; nil for no limit.
    ///   - onFailure: Called with the refresh's error, if this call has begun the refresh.
    /// - Returns: The token; nil if there is none to be had for now.
    /// - Throws: The refresh's error, a time-out, or `CancellationError` if the task is cancelled.
    func token(
        inPlaceOf refused: String,
        begins mayBegin: Bool,
        within limit: Duration?,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) async throws -> String? {
        let promise = Promise<Refreshed>()
        let step = state.withLock { state -> Step in
            // The token has been refreshed meanwhile.
            if state.token != refused { return .has(state.token) }
            if !state.isAwaited {
                if !mayBegin { state.pauseEnd = .now + min(pause, URLSessionTransport.longest) }
                if let end = state.pauseEnd, .now < end { return .has(nil) }
                if !mayBegin { return .has(nil) }
            }
            state.waiters.append(promise)
            if state.isAwaited { return .waits }
            state.isAwaited = true
            state.count += 1
            state.underWay.insert(state.count)
            return .begins(state.count)
        }
        switch step {
        case .has(let token): return token
        case .waits: break
        // Start a task of its own: the caller might be cancelled while other callers wait for the refresh. It inherits
        // the caller's task-locals, not a detached task's none: they hold the bus for the refresh's errors, and the
        // circuit's trial call or the budget's retry that the refresh is part of.
        case .begins(let number): Task { await renew(number, onFailure) }
        }
        return try await promise.value(within: limit) { error in
            self.leave(promise, isLate: error is URLError)
            promise.fulfill(.failure(error))
        }
    }

    /// Takes a caller from those who wait.
    ///
    /// If its time is over and it was the last, the refresh may hang: the next refused token starts another.
    private func leave(_ waiter: Promise<Refreshed>, isLate: Bool) {
        state.withLock { state in
            state.waiters.removeAll { $0 === waiter }
            if isLate, state.waiters.isEmpty { state.isAwaited = false }
        }
    }

    private func renew(_ number: Int, _ onFailure: (any Error) -> Void) async {
        let promise = Promise<Refreshed>()
        let task = Task {
            let refreshing = Self.underWay.merging([ObjectIdentifier(self): number]) { $1 }
            do {
                promise.fulfill(.success(try await Self.$underWay.withValue(refreshing) { try await refresh() }))
            } catch {
                promise.fulfill(.failure(error))
            }
        }
        let result: Refreshed
        do {
            result = .success(try await promise.value(within: limit) { promise.fulfill(.failure($0)) })
        } catch {
            onFailure(error)
            result = .failure(error)
        }
        task.cancel()
        let waiters = state.withLock { state -> [Promise<Refreshed>] in
            state.underWay.remove(number)
            // A refresh that nobody waited for may end after a later one.
            let isLast = number == state.count
            switch result {
            case .success(let token) where number > state.generation:
                (state.token, state.generation, state.pauseEnd) = (token, number, nil)
            case .failure where isLast: break
            default: return []
            }
            if isLast { state.isAwaited = false }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.fulfill(result) }
    }
}
