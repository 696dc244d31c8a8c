import Testing

/// Waits until a condition is true; if that takes much too long, fails the test with the awaited condition, and returns.
///
/// Prefer to wait for an event: a gate, a promise, a test clock, or a task's value. Use this for a state that nothing
/// signals.
///
/// - Parameters:
///   - event: The event that makes the condition true, as a sentence for the failure.
///   - limit: Much more than the event takes on a busy machine under a sanitizer.
///   - condition: The condition, which is checked again whenever other tasks have had a turn.
package func eventually(
    _ event: String, within limit: Duration = .seconds(60), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column, _ condition: () -> Bool
) async {
    let deadline = ContinuousClock.now + limit
    while !condition() {
        if ContinuousClock.now > deadline {
            Issue.record(
                "waited \(limit) in vain until \(event)",
                sourceLocation: SourceLocation(fileID, filePath, line, column))
            return
        }
        await Task.yield()
    }
}

/// Waits until no other code retains an object; if that takes much too long, fails the test, and returns.
///
/// A bus's worker and actions retain the bus, even if they were abandoned. So after a bus's end, they have ended once
/// only the test retains the bus, and no late effect can follow.
package func becomesOnlyReference<Object: AnyObject>(
    to object: inout Object, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
) async {
    await eventually(
        "only the test retains the \(Object.self)", fileID: fileID, filePath: filePath, line: line, column: column
    ) { isKnownUniquelyReferenced(&object) }
}
