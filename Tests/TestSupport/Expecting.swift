package import Testing

// Comparisons, for a tenth of the compiler's time. The macro takes each expression to pieces, so that every use of it
// costs the compiler 10 ms, and 20 ms where arrays are compared: with some thousand of them that is a good part of
// building the tests. `#_sourceLocation` is a macro too, and would cost 3 ms: hence the literals. A failure says the
// same as the macro's, with both values, at the caller's line. What is not a comparison by `==` is for `#expect`.

/// `#expect(actual == expected)`, for a tenth of the compiler's time.
package func expect<Value: Equatable>(
    _ actual: Value, equals expected: Value, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
) {
    // The macro's way to a comparison that holds is long, and random walks make some hundred thousand.
    if actual == expected { return }
    #expect(actual == expected, sourceLocation: SourceLocation(fileID, filePath, line, column))
}

/// `#expect(actual == expected, comment)`, for a fifth of the compiler's time.
///
/// - Parameter comment: What a failure says beside the values.
package func expect<Value: Equatable>(
    _ actual: Value, equals expected: Value, _ comment: @autoclosure () -> Comment?, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
    if actual == expected { return }
    #expect(actual == expected, comment(), sourceLocation: SourceLocation(fileID, filePath, line, column))
}

/// `#expect(actual == nil)`, for a tenth of the compiler's time.
package func expectNil<Value>(
    _ actual: Value?, _ comment: @autoclosure () -> Comment? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
    if actual == nil { return }
    #expect(actual == nil, comment(), sourceLocation: SourceLocation(fileID, filePath, line, column))
}

extension SourceLocation {
    fileprivate init(_ fileID: StaticString, _ filePath: StaticString, _ line: Int, _ column: Int) {
        self.init(fileID: "\(fileID)", filePath: "\(filePath)", line: line, column: column)
    }
}
