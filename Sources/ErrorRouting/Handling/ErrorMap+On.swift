public import Foundation

extension ErrorMap {
    /// Adds a rule for the errors that a matcher matches.
    ///
    /// - Parameters:
    ///   - matcher: The matcher of the errors to look up.
    ///   - value: The value to return.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - condition: Selects the matches to which the rule applies; nil for all matches.
    /// - Returns: This map with the new rule, which is tried before the existing rules.
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, _ value: Value, fileID: String = #fileID, line: UInt = #line,
        where condition: (@Sendable (Output) -> Bool)? = nil
    ) -> Self { adding(matcher, value, where: condition, at: .init(fileID: fileID, line: line)) }

    /// Adds a rule for the errors that a matcher matches, with a value computed from the match.
    ///
    /// - Parameters:
    ///   - matcher: The matcher of the errors to look up.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - value: Computes the value from the match.
    /// - Returns: This map with the new rule, which is tried before the existing rules.
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line,
        _ value: @escaping @Sendable (Output) -> Value
    ) -> Self { adding(ComputedMapRule(matcher, at: .init(fileID: fileID, line: line), value)) }

    /// Adds a rule for a type of error.
    ///
    /// - Parameters:
    ///   - type: The type to match; a class matches its subclasses too.
    ///   - value: The value to return.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - condition: Selects the matches to which the rule applies; nil for all matches.
    /// - Returns: This map with the new rule, which is tried before the existing rules.
    public func on<E: Error>(
        _ type: E.Type, _ value: Value, fileID: String = #fileID, line: UInt = #line,
        where condition: (@Sendable (E) -> Bool)? = nil
    ) -> Self { adding(.type(type), value, where: condition, at: .init(fileID: fileID, line: line)) }

    /// Adds a rule for a type of error, with a value computed from the match.
    ///
    /// - Parameters:
    ///   - type: The type to match; a class matches its subclasses too.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - value: Computes the value from the match.
    /// - Returns: This map with the new rule, which is tried before the existing rules.
    public func on<E: Error>(
        _ type: E.Type, fileID: String = #fileID, line: UInt = #line,
        _ value: @escaping @Sendable (E) -> Value
    ) -> Self { adding(ComputedMapRule(.type(type), at: .init(fileID: fileID, line: line), value)) }

    /// Adds a rule for errors that equal a given error.
    ///
    /// - Parameters:
    ///   - error: The error to compare with.
    ///   - value: The value to return.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - condition: Selects the matches to which the rule applies; nil for all matches.
    /// - Returns: This map with the new rule, which is tried before the existing rules.
    public func on<E: Error & Equatable>(
        _ error: E, _ value: Value, fileID: String = #fileID, line: UInt = #line,
        where condition: (@Sendable (E) -> Bool)? = nil
    ) -> Self { adding(.value(error), value, where: condition, at: .init(fileID: fileID, line: line)) }

    /// Adds a rule for errors that equal a given error, with a value computed from the match.
    ///
    /// - Parameters:
    ///   - error: The error to compare with.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - value: Computes the value from the match.
    /// - Returns: This map with the new rule, which is tried before the existing rules.
    public func on<E: Error & Equatable>(
        _ error: E, fileID: String = #fileID, line: UInt = #line,
        _ value: @escaping @Sendable (E) -> Value
    ) -> Self { adding(ComputedMapRule(.value(error), at: .init(fileID: fileID, line: line), value)) }

    /// Adds a rule for a domain or one of its codes.
    ///
    /// - Parameters:
    ///   - domain: The `NSError` domain.
    ///   - code: The code, or nil for every code of the domain.
    ///   - value: The value to return.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - condition: Selects the matches to which the rule applies; nil for all matches.
    /// - Returns: This map with the new rule, which is tried before the existing rules.
    public func on(
        domain: String, code: Int? = nil, _ value: Value, fileID: String = #fileID, line: UInt = #line,
        where condition: (@Sendable (NSError) -> Bool)? = nil
    ) -> Self {
        on(matching: .nsError(domain: domain, code: code), value, fileID: fileID, line: line, where: condition)
    }

    /// Adds a rule for a domain or one of its codes, with a value computed from the match.
    ///
    /// - Parameters:
    ///   - domain: The `NSError` domain.
    ///   - code: The code, or nil for every code of the domain.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - value: Computes the value from the match.
    /// - Returns: This map with the new rule, which is tried before the existing rules.
    public func on(
        domain: String, code: Int? = nil, fileID: String = #fileID, line: UInt = #line,
        _ value: @escaping @Sendable (NSError) -> Value
    ) -> Self { on(matching: .nsError(domain: domain, code: code), fileID: fileID, line: line, value) }

    private func adding<Output>(
        _ matcher: ErrorMatcher<Output>, _ value: Value, where condition: (@Sendable (Output) -> Bool)?,
        at source: ErrorReport.Source
    ) -> Self {
        let matcher = condition.map { matcher.where($0) } ?? matcher
        return adding(ComputedMapRule(matcher, at: source, constant: value))
    }
}
