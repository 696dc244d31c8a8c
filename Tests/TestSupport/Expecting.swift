package import Testing

// The macro `#expect` takes each expression to pieces, which the compiler does for each use of it. A file of
// many comparisons compiles several times as fast with these functions. `#_sourceLocation` is a macro too: hence the
// literals. A failure says the same as the macro's, with both values, at the caller's line. What is not a comparison by
// `==` is for `#expect`.

/// Does what `#expect(actual == expected)` does.
package func expect<Value: Equatable>(
    _ actual: Value, equals expected: Value, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
) {
    // The macro's way to a comparison that holds is long, and random walks make some hundred thousand.
    if actual == expected { return }
    #expect(actual == expected, sourceLocation: SourceLocation(fileID, filePath, line, column))
}

/// Does what `#expect(actual == expected, comment)` does.
///
/// - Parameter comment: What a failure says beside the values.
package func expect<Value: Equatable>(
    _ actual: Value, equals expected: Value, _ comment: @autoclosure () -> Comment?, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
    if actual == expected { return }
    #expect(actual == expected, comment(), sourceLocation: SourceLocation(fileID, filePath, line, column))
}

/// Does what `#expect(actual == nil)` does.
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
