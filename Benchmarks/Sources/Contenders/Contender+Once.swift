import ErrorRouting
import Foundation

extension Contender {
    /// The contenders with rules that are used only a few times.
    ///
    /// They customize a preset with one rule, as for a request, or build all rules. Lists of closures are built in the
    /// same ways for comparison.
    ///
    /// By default, the error's rule is the first of the preset's ten rules, so that a list is scanned to its end. If a
    /// rule for a value or a domain is added, the error has that value or domain.
    package static var once: [Contender] {
        let first = Handlers.firstOfTypes
        let preset = Handlers.preset(Handlers.types(10))
        return [
            customized("a preset customized and used once", Handlers.types(10), uses: 1),
            customized("a preset with onNoMatch customized and used once", preset, uses: 1),
            customized("a preset with onNoMatch customized and used twice", preset, uses: 2),
            customized("a preset customized by a type and used once") { preset, _ in
                (preset.on(E1.self) { _ in .stop }, E1())
            },
            customized("a preset customized by an enum's value and used once") { preset, number in
                let error = Status.code(number)
                return (preset.on(error) { _ in .stop }, error)
            },
            customized("a preset customized by a struct's value and used once") { preset, number in
                let error = Counted(number: number)
                return (preset.on(error) { _ in .stop }, error)
            },
            customized("a preset customized by an Equatable value and used once") { preset, number in
                let error = Compared(number: number)
                return (preset.on(error) { _ in .stop }, error)
            },
            customized("a preset customized by a domain and used once") { preset, number in
                (preset.on(domain: "contenders") { _ in .stop }, NSError(domain: "contenders", code: number))
            },
            customized("a preset customized by a domain and used once, for another error") { preset, _ in
                (preset.on(domain: "contenders") { _ in .stop }, Handlers.firstOfTypes)
            },
            Contender("a list of closures customized and used once", rules: 11, iterations: 1_000) {
                [preset = ClosureList.types(10)] times in
                for number in 0..<times {
                    var list = preset
                    list.on(Status.code(number)) {
                        consume($0)
                        return true
                    }
                    list.handle(first)
                }
            },
            Contender("a list of closures over ten types, customized and used once", rules: 11, iterations: 1_000) {
                [preset = ClosureList.tenTypes()] times in
                for number in 0..<times {
                    var list = preset
                    list.on(Status.code(number)) {
                        consume($0)
                        return true
                    }
                    list.handle(E1())
                }
            },
            // Use plain types: looking up generic types, as in most other contenders here, would cost more than the
            // work itself.
            Contender("rules built and used once", rules: 10, iterations: 1_000) { times in
                for _ in 0..<times { await Handlers.tenTypes().handle(E1()) }
            },
            Contender("a list of closures built and used once", rules: 10, iterations: 1_000) { times in
                for _ in 0..<times { ClosureList.tenTypes().handle(E1()) }
            },
        ]
    }

    /// Returns a contender that adds a rule to a preset of ten rules.
    ///
    /// A closure adds the rule and also returns the error to handle once.
    private static func customized(
        _ name: String, by add: @escaping @Sendable (ErrorHandler, Int) -> (ErrorHandler, any Error)
    ) -> Contender {
        Contender(name, rules: 11, iterations: 1_000) { [preset = Handlers.types(10)] times in
            for number in 0..<times {
                let (handler, error) = add(preset, number)
                await handler.handle(error)
            }
        }
    }

    private static func customized(_ name: String, _ preset: ErrorHandler, uses: Int) -> Contender {
        Contender(name, rules: 11, iterations: 1_000) {
            [error = Handlers.firstOfTypes] times in
            for number in 0..<times {
                let handler = preset.on(Status.code(number)) {
                    consume($0)
                    return .stop
                }
                for _ in 0..<uses { await handler.handle(error) }
            }
        }
    }

    @inline(never)
    private static func makeE8(_ number: Int) -> any Error {
        var error = E8()
        error.code = number
        return error
    }

    /// The contenders that aren't in a table.
    ///
    /// Their instructions are counted, or they are compared with another program.
    ///
    /// Delivery begins after all posts, so that each run takes the same number of instructions.
    package static var counted: [Contender] {
        [
            Contender("create and handle, the eighth type", rules: 8) { [handler = Handlers.plainTypes()] times in
                for number in 0..<times { await handler.handle(makeE8(number)) }
            },
            Contender("create an error", rules: 1) { times in
                for number in 0..<times { consume(makeE8(number)) }
            },
            // Add a rule in each run: with twice as many runs, the cost per run stays the same only if the total cost
            // is linear in the number of rules.
            amongMany("a rule among as many for other codes", NSError(domain: "codes", code: 1)) { handler, number in
                handler.on(domain: "codes", code: number) { _ in .stop }
            },
            amongMany("a rule among as many for other values", Status.code(1)) { handler, number in
                handler.on(Status.code(number)) { _ in .stop }
            },
            amongMany("an asynchronous rule among as many that match", E1()) { handler, _ in
                handler.on(E1.self) { _ in
                    await Handlers.nothing()
                    return .next
                }
            },
            // Only count this contender's instructions, because it writes to standard error.
            handling("the preset's line", 10, .standardError.overlaid(with: Handlers.types(10)), Unknown()),
            posting("posting and delivering", Handlers.plainTypes()),
            posting("bus, a flood limit", Handlers.plainTypes(), FloodLimit(first: .max, per: .seconds(60))),
            posting("bus, suppressed by a flood limit", Handlers.plainTypes(), FloodLimit(first: 1, per: .seconds(60))),
            posting("bus, preset", Handlers.preset(Handlers.plainTypes())),
            posting(
                "bus, preset and logging",
                Handlers.preset(Handlers.plainTypes()).overlaid(with: Handlers.logging())),
            posting("bus, preset, action with report", Handlers.preset(Handlers.plainReportTakers())),
            posting("bus, a scope whose rule matches", Handlers.types(10), in: Handlers.plainTypes()),
            posting("bus, a scope whose rules do not match", Handlers.plainTypes(), in: Handlers.types(10)),
        ]
    }

    /// Returns a contender that builds a handler with one rule per run and handles an error with it three times.
    private static func amongMany(
        _ name: String, _ error: any Error, _ add: @escaping @Sendable (ErrorHandler, Int) -> ErrorHandler
    ) -> Contender {
        Contender(name, rules: 1) { times in
            let handler = (0..<times).reduce(ErrorHandler(), add)
            for _ in 0..<3 { await handler.handle(error) }
        }
    }

    private static func posting(
        _ name: String, _ handler: ErrorHandler, _ limit: FloodLimit? = nil, in scoped: ErrorHandler? = nil
    ) -> Contender {
        Contender(name, rules: 8) { times in
            let bus = ErrorBus(handler: handler, configuration: .init(capacity: times, floodLimit: limit))
            if let scoped {
                let scope = bus.scope("scope", handler: scoped)
                for number in 0..<times { scope.post(makeError(number)) }
            } else {
                for number in 0..<times { bus.post(makeError(number)) }
            }
            bus.finish()
            await bus.run()
        }
    }
}
