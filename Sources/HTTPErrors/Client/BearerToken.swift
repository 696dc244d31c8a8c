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
    ///     error that it throws is posted, since the waiting callers get the 401. It should have a time limit.
    public init(_ token: String, refresh: @escaping @Sendable () async throws -> String) {
        keeper = TokenKeeper(token, refresh)
    }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type's name, without the token.
    public var description: String { "BearerToken" }

    /// The type's name, without the token.
    public var debugDescription: String { description }

    /// An empty mirror, so that reflection does not print the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The current token, and the refresh that is under way.
final class TokenKeeper: Sendable {
    /// The result of a refresh for one waiting caller.
    typealias Refreshed = Result<String, any Error>

    private struct State {
        var token: String
        var isRefreshing = false
        var waiters: [Promise<Refreshed>] = []
    }

    /// The keepers whose tokens this task is refreshing.
    @TaskLocal private static var underWay: Set<ObjectIdentifier> = []

    private let state: Locked<State>
    private let refresh: @Sendable () async throws -> String

    init(_ token: String, _ refresh: @escaping @Sendable () async throws -> String) {
        state = Locked(State(token: token))
        self.refresh = refresh
    }

    /// The token to send with a request.
    var token: String { state.withLock { $0.token } }

    /// Whether this task is refreshing the token; if it waited for the refresh, it would wait for itself.
    var isRefreshedHere: Bool { Self.underWay.contains(ObjectIdentifier(self)) }

    /// Returns the token to send in place of a refused one; waits for a refresh if needed.
    ///
    /// - Throws: The refresh's error, or `CancellationError` if the task is cancelled.
    func token(inPlaceOf refused: String) async throws -> String {
        let promise = Promise<Refreshed>()
        let (token, begins) = state.withLock { state -> (String?, Bool) in
            // The token has been refreshed meanwhile.
            if state.token != refused { return (state.token, false) }
            state.waiters.append(promise)
            defer { state.isRefreshing = true }
            return (nil, !state.isRefreshing)
        }
        if let token { return token }
        if begins {
            // A task of its own: the caller may be cancelled while other callers wait for the refresh.
            Task {
                let refreshing = Self.underWay.union([ObjectIdentifier(self)])
                await Self.$underWay.withValue(refreshing) { await renew() }
            }
        }
        return try await withTaskCancellationHandler {
            try await promise.value.get()
        } onCancel: {
            promise.fulfill(.failure(CancellationError()))
        }
    }

    private func renew() async {
        let result: Refreshed
        do { result = .success(try await refresh()) } catch { result = .failure(error) }
        let waiters = state.withLock { state in
            if case .success(let token) = result { state.token = token }
            state.isRefreshing = false
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.fulfill(result) }
    }
}
