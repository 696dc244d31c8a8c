import ErrorRecovery
import ErrorRouting
import Foundation

/// A token that the client sends with every request and refreshes once when the server refuses it.
///
/// If the server refuses many requests at the same time, there is only one refresh. It continues even if all waiting
/// tasks are cancelled. Copies share the token and its refresh. The description doesn't contain the token.
///
/// ```swift
/// let token = BearerToken(stored, refreshingOn: [401, 403]) { try await session.newToken() }
/// ```
public struct BearerToken: Sendable {
    let keeper: TokenKeeper

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - token: The first token.
    ///   - limit: How long a refresh may take; positive. After that time, the refresh is cancelled and the waiting
    ///     requests fail.
    ///   - pause: How long the client waits before it fetches another token if the server also refuses a refreshed
    ///     token; not negative. During the pause, a request fails as soon as its token is refused.
    ///   - statuses: The statuses that refuse a token, from 400 to 599. Add 403 if the server sends it for an expired
    ///     token. Then a 403 with another meaning also triggers one refresh, and isn't passed to the client's
    ///     `serviceError`.
    ///   - refresh: Fetches a new token. If the closure sends a request with this token itself, that request doesn't
    ///     start another refresh. If the closure throws, the error is posted once, and each waiting caller receives the
    ///     error for its response's status (`unauthorized` for 401) with the thrown error as its cause. The closure
    ///     runs in the task-local context of the request that starts it. If the last waiting request runs out of time,
    ///     the refresh continues, but the next refused token starts another refresh.
    public init(
        _ token: String,
        limit: Duration = .seconds(60),
        pause: Duration = .seconds(10),
        refreshingOn statuses: Set<Int> = [401],
        refresh: @escaping @Sendable () async throws -> String
    ) {
        if limit <= .zero { fatalError("BearerToken: limit must be positive, but is \(limit)") }
        if pause < .zero { fatalError("BearerToken: pause must not be negative, but is \(pause)") }
        if let status = statuses.first(where: { !(400...599).contains($0) }) {
            fatalError("BearerToken: refreshingOn must contain only statuses from 400 to 599, not \(status)")
        }
        keeper = TokenKeeper(token, limit, pause, statuses, refresh)
    }
}

extension BearerToken: SecretHolding {}

/// Holds the current token and the running refreshes.
final class TokenKeeper: Sendable {
    /// The result of a refresh for one waiting caller.
    typealias Refreshed = Result<String, any Error>

    private struct State {
        var token: String
        /// The number of the refresh that produced the token; 0 for the first token.
        var generation = 0
        /// How many refreshes have started.
        var count = 0
        /// The refreshes that haven't ended: the last refresh, and earlier refreshes that no caller waits for.
        var underWay: Set<Int> = []
        /// Whether callers wait for the last refresh instead of starting another refresh.
        var isAwaited = false
        var waiters: [Promise<Refreshed>] = []
        /// When the pause after a refused refreshed token ends; nil if there was no such pause.
        var pauseEnd: ContinuousClock.Instant?
    }

    /// The number of the refresh that this task belongs to, by keeper.
    ///
    /// A task belongs to a refresh if it runs the refresh or if the refresh started it.
    @TaskLocal private static var underWay: [ObjectIdentifier: Int] = [:]

    private let state: Locked<State>
    private let limit: Duration
    private let pause: Duration
    /// The statuses that refuse a token.
    let statuses: Set<Int>
    private let refresh: @Sendable () async throws -> String

    init(
        _ token: String, _ limit: Duration, _ pause: Duration, _ statuses: Set<Int>,
        _ refresh: @escaping @Sendable () async throws -> String
    ) {
        state = Locked(State(token: token))
        self.limit = limit
        self.pause = pause.bounded
        self.statuses = statuses
        self.refresh = refresh
    }

    /// The token to send with a request.
    var token: String { state.withLock { $0.token } }

    /// How many callers are waiting for a refresh.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Whether this task belongs to a running refresh.
    ///
    /// If the task waited for that refresh, it would wait for itself. A task that the refresh started can outlive the
    /// refresh. The task then waits for the next refresh like any other task.
    var isRefreshedHere: Bool {
        guard let number = Self.underWay[ObjectIdentifier(self)] else { return false }
        return state.withLock { $0.underWay.contains(number) }
    }

    private enum Step {
        case has(String?)
        case waits
        case begins(Int)
    }

    /// Returns the token to send instead of a refused token, after a refresh if needed; nil if no new token can be
    /// fetched now.
    ///
    /// If `mayBegin` is false, the refused token is a refreshed token: this call doesn't start a refresh, and the pause
    /// begins unless callers already wait for a refresh. `limit` is how long to wait, or nil for no limit. If this call
    /// starts a refresh that fails, `onFailure` is called with the refresh's error.
    ///
    /// The method throws the refresh's error, a timeout, or `CancellationError` if the task is cancelled.
    func token(
        replacing refused: String,
        mayBegin: Bool,
        within limit: Duration?,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) async throws -> String? {
        let promise = Promise<Refreshed>()
        let step = state.withLock { state -> Step in
            // Return the new token if the refused token was replaced while the request was in progress.
            if state.token != refused { return .has(state.token) }
            if !state.isAwaited {
                // Begin the pause if a refreshed token was refused. During the pause, fail without a refresh.
                if !mayBegin { state.pauseEnd = .now + pause }
                if let end = state.pauseEnd, .now < end { return .has(nil) }
                if !mayBegin { return .has(nil) }
            }
            // Wait for the running refresh, or start one.
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
        // Start a new task, because the caller might be cancelled while other callers wait. Don't detach it, because it
        // must inherit the task-local values: the bus for the refresh's errors, and the trial call or retry that the
        // refresh belongs to.
        case .begins(let number): Task { await renew(number, onFailure) }
        }
        return try await promise.value(within: limit) { error in
            self.leave(promise, isLate: error is URLError)
            promise.fulfill(.failure(error))
        }
    }

    /// Removes a waiting caller.
    ///
    /// If the last waiting caller ran out of time, the refresh might hang, so the next refused token starts another
    /// refresh.
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
                let token = try await Self.$underWay.withValue(refreshing) { try await refresh() }
                // Check the token: with an invalid token, every request would fail before it is sent, and no request
                // would start another refresh.
                if token.hasControl { throw NetworkError(.encoding, detail: "the token contains a control character") }
                promise.fulfill(.success(token))
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
            // A refresh that no caller waits for might end after a later refresh.
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
