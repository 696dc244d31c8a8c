import ErrorRouting

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
    ///   - refresh: Gets a new token. A request that it sends itself with this token does not start another refresh. An
    ///     error that it throws is posted once, and is the cause of the error that each waiting caller gets: one of
    ///     kind `unauthorized`. It should have a time limit: those of the requests that wait do not end it.
    public init(_ token: String, refresh: @escaping @Sendable () async throws -> String) {
        keeper = TokenKeeper(token, refresh)
    }
}

extension BearerToken: SecretHolding {
    /// The type's name, without the token.
    public var description: String { "BearerToken" }
}

/// The current token, and the refresh that is under way.
final class TokenKeeper: Sendable {
    /// The result of a refresh for one waiting caller.
    typealias Refreshed = Result<String, any Error>

    private struct State {
        var token: String
        /// How many refreshes have begun.
        var count = 0
        var isRefreshing = false
        var waiters: [Promise<Refreshed>] = []
    }

    /// The keepers whose tokens this task is refreshing, or was when it began, each with the number of its refresh.
    @TaskLocal private static var underWay: [ObjectIdentifier: Int] = [:]

    private let state: Locked<State>
    private let refresh: @Sendable () async throws -> String

    init(_ token: String, _ refresh: @escaping @Sendable () async throws -> String) {
        state = Locked(State(token: token))
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
        return state.withLock { $0.isRefreshing && $0.count == number }
    }

    /// Returns the token to send in place of a refused one; waits for a refresh if needed.
    ///
    /// - Parameters:
    ///   - refused: The refused token.
    ///   - limit: How long to wait; nil for no limit.
    ///   - onFailure: Called with the refresh's error, if this call has begun the refresh.
    /// - Throws: The refresh's error, a time-out, or `CancellationError` if the task is cancelled.
    func token(
        inPlaceOf refused: String,
        within limit: Duration?,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) async throws -> String {
        let promise = Promise<Refreshed>()
        let (token, number) = state.withLock { state -> (String?, Int?) in
            // The token has been refreshed meanwhile.
            if state.token != refused { return (state.token, nil) }
            state.waiters.append(promise)
            if state.isRefreshing { return (nil, nil) }
            state.isRefreshing = true
            state.count += 1
            return (nil, state.count)
        }
        if let token { return token }
        if let number {
            // A task of its own: the caller may be cancelled while other callers wait for the refresh.
            Task {
                let refreshing = Self.underWay.merging([ObjectIdentifier(self): number]) { $1 }
                await Self.$underWay.withValue(refreshing) { await renew(onFailure) }
            }
        }
        return try await promise.value(within: limit) { promise.fulfill(.failure($0)) }
    }

    private func renew(_ onFailure: (any Error) -> Void) async {
        let result: Refreshed
        do {
            result = .success(try await refresh())
        } catch {
            onFailure(error)
            result = .failure(error)
        }
        let waiters = state.withLock { state in
            if case .success(let token) = result { state.token = token }
            state.isRefreshing = false
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.fulfill(result) }
    }
}
