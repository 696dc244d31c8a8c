// Overloads for mistakes that the compiler would otherwise report misleadingly: it picks one of these overloads and
// shows what to write. Two kinds of actions suffice, because a closure that awaits nothing fits an asynchronous
// parameter too.

extension ErrorHandler {
    /// Isn't available for protocols: use `on(matching: .conforming(to:))`.
    @available(*, unavailable, message: "not a concrete error type: use on(matching: .conforming(to:)) for a protocol")
    public func on<P>(
        _ type: P.Type, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (P) async throws -> HandleStrategy
    ) -> ErrorHandler { self }

    /// Isn't available for protocols: use `on(matching: .conforming(to:))`.
    @available(*, unavailable, message: "not a concrete error type: use on(matching: .conforming(to:)) for a protocol")
    public func on<P>(
        _ type: P.Type, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (P, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { self }

    /// Isn't available for a case with a payload, which isn't a value: use `on(matching: .extracting(_:_:))`.
    @available(
        *, unavailable, message: "a case with a payload isn't a value: use on(matching: .extracting(E.self) { … })"
    )
    public func on<Payload, E: Error>(
        _ enumCase: (Payload) -> E, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error) async throws -> HandleStrategy
    ) -> ErrorHandler { self }

    /// Isn't available for a case with a payload, which isn't a value: use `on(matching: .extracting(_:_:))`.
    @available(
        *, unavailable, message: "a case with a payload isn't a value: use on(matching: .extracting(E.self) { … })"
    )
    public func on<Payload, E: Error>(
        _ enumCase: (Payload) -> E, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { self }

    /// Isn't available for protocols: use `ignore(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use ignore(matching: .conforming(to:)) for a protocol"
    )
    public func ignore<P>(_ type: P.Type, fileID: String = #fileID, line: UInt = #line) -> ErrorHandler { self }

    /// Isn't available for several types or values: call `ignore` once for each of them.
    @available(*, unavailable, message: "one type or value for each call: .ignore(A.self).ignore(B.self)")
    public func ignore<First, Second>(_ first: First, _ second: Second, _ others: Any...) -> ErrorHandler { self }
}

extension ErrorMap {
    /// Isn't available for protocols: use `on(matching: .conforming(to:))`.
    @available(*, unavailable, message: "not a concrete error type: use on(matching: .conforming(to:)) for a protocol")
    public func on<P>(
        _ type: P.Type, _ value: Value, fileID: String = #fileID, line: UInt = #line,
        where condition: (@Sendable (P) -> Bool)? = nil
    ) -> Self { self }

    /// Isn't available for protocols: use `on(matching: .conforming(to:))`.
    @available(*, unavailable, message: "not a concrete error type: use on(matching: .conforming(to:)) for a protocol")
    public func on<P>(
        _ type: P.Type, fileID: String = #fileID, line: UInt = #line,
        _ value: @escaping @Sendable (P) -> Value
    ) -> Self { self }
}
