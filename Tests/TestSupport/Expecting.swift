package import Testing

/// `#expect(actual == expected)`, for a tenth of the compiler's time.
///
/// The macro takes each expression to pieces, so that every use of it costs the compiler 10 ms, and 20 ms where arrays
/// are compared: with some thousand of them that is a good part of building the tests. A failure says the same, with
/// both values, at the caller's line. What is not a comparison by `==` is for `#expect`.
///
/// - Parameter comment: What a failure says beside the values.
package func expect<Value: Equatable>(
    _ actual: Value, equals expected: Value, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    // The macro's way to a comparison that holds is long, and random walks make some hundred thousand.
    if actual == expected { return }
    #expect(actual == expected, comment(), sourceLocation: sourceLocation)
}

/// `#expect(actual == nil)`, for a twentieth of the compiler's time.
package func expectNil<Value>(
    _ actual: Value?, _ comment: @autoclosure () -> Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
    if actual == nil { return }
    #expect(actual == nil, comment(), sourceLocation: sourceLocation)
}
