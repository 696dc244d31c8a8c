extension ErrorMap where Value: Error {
    /// Runs an operation, and turns what it throws into the error of this level.
    ///
    /// The rules decide first. An error that none of them matches is thrown as it is if it is of this level already, a
    /// `Value`; else the default is thrown. A cancellation passes where a rule says so, by a value that is a
    /// ``CancellationConvertible``:
    ///
    /// ```swift
    /// static let level = ErrorMap(default: CheckoutError.unavailable)
    ///     .on(matching: .cancellation, .cancelled)
    ///     .on(CardDeclined.self) { .declined(code: $0.code) }
    ///
    /// func pay(_ cart: Cart) async throws(CheckoutError) -> Receipt {
    ///     try await Self.level.throwing { try await bank.charge(cart) }
    /// }
    /// ```
    ///
    /// - Parameter operation: The operation. It keeps the caller's isolation.
    /// - Returns: What the operation returned.
    /// - Throws: The map's value for what the operation threw.
    public func throwing<T>(_ operation: () async throws -> T) async throws(Value) -> T {
        do { return try await operation() } catch { throw level(of: error) }
    }

    /// Runs a synchronous operation, and turns what it throws into the error of this level; see ``throwing(_:)``.
    public func throwing<T>(_ operation: () throws -> T) throws(Value) -> T {
        do { return try operation() } catch { throw level(of: error) }
    }

    private func level(of error: any Error) -> Value {
        match(error)?.value ?? ErrorMatcher.type(Value.self).match(error) ?? self[error]
    }
}
