extension ErrorMap where Value: Error {
    /// Runs an operation, and converts its error to the error of this layer.
    ///
    /// The rules decide first. If no rule matches, an error that already belongs to this layer, a `Value`, is rethrown
    /// unchanged; for any other error the default is thrown. A cancellation stays one only if a rule returns a value
    /// that is a ``CancellationConvertible``:
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
    /// - Returns: The operation's result.
    /// - Throws: The map's value for the operation's error.
    public func throwing<T>(_ operation: () async throws -> T) async throws(Value) -> T {
        do { return try await operation() } catch { throw level(of: error) }
    }

    /// Runs a synchronous operation, and converts its error to the error of this layer; see ``throwing(_:)``.
    public func throwing<T>(_ operation: () throws -> T) throws(Value) -> T {
        do { return try operation() } catch { throw level(of: error) }
    }

    private func level(of error: any Error) -> Value {
        match(error)?.value ?? ErrorMatcher.type(Value.self).match(error) ?? self[error]
    }
}
