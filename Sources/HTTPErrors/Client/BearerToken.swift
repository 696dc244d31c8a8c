import ErrorRouting

/// A token that goes with every request, and is refreshed once where a server no longer takes it.
///
/// However many requests meet a 401 at the same time, there is one refresh, which goes on also if all who wait for it
/// are cancelled. Copies share it. Its description does not have the token.
public struct BearerToken: Sendable {
    let keeper: TokenKeeper

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - token: What to begin with.
    ///   - refresh: Asks for a new one. A 401 that it meets itself is not answered by another refresh. What it throws
    ///     is posted, since whoever waits for it gets the 401. It should have a time limit.
    public init(_ token: String, refresh: @escaping @Sendable () async throws -> String) {
        keeper = TokenKeeper(token, refresh)
    }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That it is a token, and no more.
    public var description: String { "BearerToken" }

    /// That it is a token, and no more.
    public var debugDescription: String { description }

    /// Nothing: what is printed by reflection shall not have the token either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The token that is good, and the refresh that is under way.
final class TokenKeeper: Sendable {
    /// How a refresh ended for one who waits for it.
    typealias Refreshed = Result<String, any Error>

    private struct State {
        var token: String
        var isRefreshing = false
        var waiters: [Promise<Refreshed>] = []
    }

    /// Which tokens this task is refreshing.
    @TaskLocal private static var underWay: Set<ObjectIdentifier> = []

    private let state: Locked<State>
    private let refresh: @Sendable () async throws -> String

    init(_ token: String, _ refresh: @escaping @Sendable () async throws -> String) {
        state = Locked(State(token: token))
        self.refresh = refresh
    }

    /// The token to send with a request.
    var token: String { state.withLock { $0.token } }

    /// Whether this task is the one that refreshes it, which would wait for itself.
    var isRefreshedHere: Bool { Self.underWay.contains(ObjectIdentifier(self)) }

    /// The token to send in place of one that was refused.
    ///
    /// - Throws: What the refresh threw, or `CancellationError` where the task is cancelled.
    func token(inPlaceOf refused: String) async throws -> String {
        let promise = Promise<Refreshed>()
        let (token, begins) = state.withLock { state -> (String?, Bool) in
            // Somebody was quicker.
            if state.token != refused { return (state.token, false) }
            state.waiters.append(promise)
            defer { state.isRefreshing = true }
            return (nil, !state.isRefreshing)
        }
        if let token { return token }
        if begins {
            // A task of its own: the one who came first may be cancelled, and the others wait no less.
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
