// A protocol is no concrete error type: given one, the compiler picks one of these, and says what to write instead.

extension ErrorHandler {
    /// Not for protocols: use `on(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use on(matching: .conforming(to:)) for a protocol"
    )
    public func on<P>(
        _ type: P.Type,
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (P) throws -> HandleStrategy
    ) -> ErrorHandler {
        self
    }

    /// Not for protocols: use `on(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use on(matching: .conforming(to:)) for a protocol"
    )
    public func on<P>(
        _ type: P.Type,
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (P, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler {
        self
    }

    /// Not for protocols: use `on(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use on(matching: .conforming(to:)) for a protocol"
    )
    public func on<P>(
        _ type: P.Type,
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (P) async throws -> HandleStrategy
    ) -> ErrorHandler {
        self
    }

    /// Not for protocols: use `on(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use on(matching: .conforming(to:)) for a protocol"
    )
    public func on<P>(
        _ type: P.Type,
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (P, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler {
        self
    }

    /// Not for protocols: use `ignore(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use ignore(matching: .conforming(to:)) for a protocol"
    )
    public func ignore<P>(_ type: P.Type, fileID: String = #fileID, line: UInt = #line) -> ErrorHandler {
        self
    }
}

extension ErrorMap {
    /// Not for protocols: use `on(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use on(matching: .conforming(to:)) for a protocol"
    )
    public func on<P>(
        _ type: P.Type,
        _ value: Value,
        fileID: String = #fileID,
        line: UInt = #line,
        _ unused: (() -> Never)? = nil
    ) -> Self {
        self
    }

    /// Not for protocols: use `on(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use on(matching: .conforming(to:)) for a protocol"
    )
    public func on<P>(
        _ type: P.Type,
        fileID: String = #fileID,
        line: UInt = #line,
        _ value: @escaping @Sendable (P) -> Value
    ) -> Self {
        self
    }
}
