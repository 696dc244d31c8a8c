/// A straightforward implementation of the same design, as a list of closures that are called from last to first.
///
/// Each closure casts the error once.
package struct ClosureList: Sendable {
    /// Handles an error and returns whether to stop; nil if the rule doesn't match.
    typealias Rule = @Sendable (any Error) -> Bool?

    private var rules: [Rule] = []
    private var onNoMatch: [@Sendable (any Error) -> Bool] = [
        {
            consume($0); return true
        }
    ]
    private var always: [@Sendable (any Error, Bool) -> Void] = []

    var count: Int { rules.count }

    /// Adds a rule for a type, with an action that returns whether to stop.
    mutating func on<E: Error>(_ type: E.Type, do action: @escaping @Sendable (E) -> Bool) {
        rules.append { error in
            guard let error = error as? E else { return nil }
            return action(error)
        }
    }

    /// Adds a rule for one value.
    mutating func on<E: Error & Equatable>(_ value: E, do action: @escaping @Sendable (E) -> Bool) {
        rules.append { error in
            guard let error = error as? E, error == value else { return nil }
            return action(error)
        }
    }

    /// Adds a rule with a predicate.
    mutating func on(
        where predicate: @escaping @Sendable (any Error) -> Bool, do action: @escaping @Sendable (any Error) -> Bool
    ) {
        rules.append { predicate($0) ? action($0) : nil }
    }

    /// Returns a list with an additional action, which runs last and receives whether any rule matched.
    func always(do action: @escaping @Sendable (any Error, Bool) -> Void) -> ClosureList {
        var result = self
        result.always.append(action)
        return result
    }

    @inline(never)
    func handle(_ error: any Error) {
        var hasMatch = false
        var index = rules.count
        while index > 0 {
            index -= 1
            guard let stops = rules[index](error) else { continue }
            hasMatch = true
            if stops { break }
        }
        if !hasMatch {
            index = onNoMatch.count
            while index > 0 {
                index -= 1
                if onNoMatch[index](error) { break }
            }
        }
        for action in always { action(error, hasMatch) }
    }

    /// Returns a list with rules for a number of types.
    static func types(_ count: Int) -> ClosureList {
        var builder = Builder()
        for number in 0..<count { visit(number, &builder) }
        return builder.list
    }

    /// Returns a list with rules for the ten plain types.
    static func tenTypes() -> ClosureList {
        var list = ClosureList()
        list.on(E1.self) {
            consume($0.code); return true
        }
        list.on(E2.self) {
            consume($0.code); return true
        }
        list.on(E3.self) {
            consume($0.code); return true
        }
        list.on(E4.self) {
            consume($0.code); return true
        }
        list.on(E5.self) {
            consume($0.code); return true
        }
        list.on(E6.self) {
            consume($0.code); return true
        }
        list.on(E7.self) {
            consume($0.code); return true
        }
        list.on(E8.self) {
            consume($0.code); return true
        }
        list.on(E9.self) {
            consume($0.code); return true
        }
        list.on(E10.self) {
            consume($0.code); return true
        }
        return list
    }

    /// Returns a list with a number of predicates, of which only the predicate that was added first is true.
    static func predicates(_ count: Int) -> ClosureList {
        var list = ClosureList()
        for number in 0..<count {
            list.on(where: { Predicates.holds(number, $0) }) {
                consume($0)
                return true
            }
        }
        return list
    }

    private struct Builder: ErrorTypeVisitor {
        var list = ClosureList()

        mutating func visit<E: Error>(_ type: E.Type, sample: E) {
            list.on(type) {
                consume($0)
                return true
            }
        }
    }
}
