import Exploration
import Synchronization

extension Scenario {
    /// Scenarios with objects that the first thread to use them creates and that are read without a lock.
    static let tables: [Scenario] = [setOnce, typeTable, rules, branches, scope]

    /// Two threads set an object, and a third thread reads it.
    private static let setOnce = Scenario(of: "SetOnce", .none()) {
        let once = SharedOnce()
        let (setters, reader) = (Found<Counted>(), Found<Counted>())
        let threads = (0..<2).map { _ in { setters.note(once.value.set(made(Counted()))) } }
        return Execution(of: threads + [{ once.value.borrowed.map(reader.note) }]) {
            expect(Set(setters.addresses).count == 1, "there are two winners")
            expect(Set(setters.addresses).isSuperset(of: reader.addresses), "the reader has found another one")
        }
    }

    private final class SharedOnce: Sendable { let value = SetOnce<Counted>() }

    /// The objects that threads have found.
    ///
    /// Each access must be ordered after the object's creation.
    private final class Found<Object: AnyObject>: @unchecked Sendable {
        private(set) var addresses: [UInt] = []

        func note(_ object: Borrowed<Object>) {
            read(object)
            addresses.append(object.address)
        }
    }

    // MARK: Types

    private struct T0: Error {}
    private struct T1: Error {}
    private struct T2: Error {}
    private struct T3: Error {}
    private struct T4: Error {}
    private static let types: [any Error.Type] = [T0.self, T1.self, T2.self, T3.self, T4.self]

    private final class SharedTable: Sendable { let entries = TypeTable<Counted>() }

    /// Two threads insert an entry for the same type, and one of them makes the table grow.
    ///
    /// A third thread reads new and old entries.
    private static let typeTable = Scenario(of: "TypeTable", .none()) {
        let (table, found) = (SharedTable(), types.map { _ in Found<Counted>() })
        func insert(_ type: Int) {
            guard let entry = table.entries.insert(made(Counted()), for: types[type]) else { return fail("no room") }
            found[type].note(entry)
        }
        func look(_ type: Int) { if let entry = table.entries[types[type]] { found[type].note(entry) } }
        for type in 0..<3 { insert(type) }
        let threads = [
            { for type in [3, 4] { insert(type) } },
            {
                insert(3); look(0)
            }, { for type in [3, 4, 0] { look(type) } },
        ]
        return Execution(of: threads) {
            for type in types.indices {
                expect(Set(found[type].addresses).count == 1, "entries of type \(type): \(found[type].addresses)")
                expect(table.entries[types[type]] != nil, "type \(type) has no entry")
            }
        }
    }

    // MARK: Rules and scopes

    /// Two threads are the first to handle errors with a handler.
    ///
    /// A third thread is the first to use a handler that extends it.
    private static let rules = Scenario(of: "rules-at-first-use", .none()) {
        let retained = Counted()
        let handled = Handled()
        var handler = ErrorHandler()
        for type in 0..<5 {
            handler = handler.on(matching: .predicate { Swift.type(of: $0) == types[type] }) { _ in
                withExtendedLifetime(retained) { handled.note(type) }
                return .stop
            }
        }
        let base = handler
        let later = base.on(T0.self) { _ in
            handled.note(10); return .stop
        }
        let threads = [
            { base.handleSynchronously(T1()).check(.handled) },
            { base.handleSynchronously(T4()).check(.handled) },
            { later.handleSynchronously(T0()).check(.handled) },
        ]
        return Execution(of: threads) {
            expect(Set(handled.rules) == [1, 4, 10], "these rules have handled: \(handled.rules)")
        }
    }

    /// Two threads extend the same handler while a third thread is the first to use it.
    private static let branches = Scenario(of: "handler-extended-twice", .none()) {
        let handled = Handled()
        func handler(_ base: ErrorHandler, _ number: Int) -> ErrorHandler {
            base.on(matching: .predicate { Swift.type(of: $0) == types[number] }) { _ in
                handled.note(number)
                return .stop
            }
        }
        let base = handler(handler(ErrorHandler(), 0), 1)
        let threads = [
            { handler(base, 2).handleSynchronously(T2()).check(.handled) },
            { handler(base, 3).handleSynchronously(T2()).check(.unmatched) },
            { base.handleSynchronously(T0()).check(.handled) },
        ]
        return Execution(of: threads) {
            expect(Set(handled.rules) == [0, 2], "these rules have handled: \(handled.rules)")
        }
    }

    private final class Handled: @unchecked Sendable {
        private(set) var rules: [Int] = []

        func note(_ rule: Int) { rules.append(rule) }
    }

    /// One thread is the first to post in a scope, another in a nested scope, and the worker is the first reader.
    private static let scope = Scenario(of: "scope-at-first-use", .preemptions(2), long: .preemptions(3)) {
        let bus = ExploredBus(capacity: 4)
        let handled = Handled()
        let rules = ErrorHandler().on(T0.self) { _ in
            handled.note(0); return .stop
        }
        let outer = bus.bus.scope("outer", handler: rules, metadata: ["a": "b"])
        let inner = outer.scope("inner", handler: .init())
        let threads = [
            {
                outer.post(T0(), as: .failure, metadata: [:], source: .init())
                expect(outer.context.forReports.path == ["outer"], "another path")
            },
            {
                inner.post(T0(), as: .failure, metadata: [:], source: .init())
                expect(inner.context.forReports.path == ["outer", "inner"], "another path")
                bus.bus.finish()
            },
            { bus.work() },
        ]
        return Execution(of: threads) {
            let counts = bus.bus.statistics
            expect(handled.rules.count == counts.handled && counts.handled + counts.dropped == 2, "\(counts)")
        }
    }
}

extension HandleOutcome? {
    fileprivate func check(_ disposition: HandleOutcome.Disposition) {
        expect(self?.disposition == disposition, "the outcome is \(String(describing: self))")
    }
}
