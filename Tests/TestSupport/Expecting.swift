package import Testing

// The compiler expands the macro `#expect` at each use, which takes each expression to pieces. A file with
// many comparisons compiles several times as fast with these functions. `#_sourceLocation` is a macro too, so use
// literals. A failure prints the same as the macro's, with both values, at the caller's line. Use `#expect` for checks
// other than `==`.

/// Has the effect of `#expect(actual == expected)`.
package func expect<Value: Equatable>(
    _ actual: Value, equals expected: Value, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
) {
    // Compare first: the macro is slow even if a comparison holds, and random walks make some hundred thousand.
    if actual == expected { return }
    #expect(actual == expected, sourceLocation: SourceLocation(fileID, filePath, line, column))
}

/// Has the effect of `#expect(actual == expected, comment)`.
///
/// - Parameter comment: The text that a failure prints in addition to the values.
package func expect<Value: Equatable>(
    _ actual: Value, equals expected: Value, _ comment: @autoclosure () -> Comment?, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
    if actual == expected { return }
    #expect(actual == expected, comment(), sourceLocation: SourceLocation(fileID, filePath, line, column))
}

/// Has the effect of `#expect(actual == nil)`.
package func expectNil<Value>(
    _ actual: Value?, _ comment: @autoclosure () -> Comment? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
    if actual == nil { return }
    #expect(actual == nil, comment(), sourceLocation: SourceLocation(fileID, filePath, line, column))
}

extension SourceLocation {
    init(_ fileID: StaticString, _ filePath: StaticString, _ line: Int, _ column: Int) {
        self.init(fileID: "\(fileID)", filePath: "\(filePath)", line: line, column: column)
    }
}
