import ErrorRouting

extension Contender {
    /// A preset of ten rules to which one more rule is added, used once as for a request; and the same with a linear
    /// list.
    ///
    /// The error's rule is the first of the ten, so that a list is scanned to its end.
    package static var once: [Contender] {
        [
            Contender("a preset customised and used once", rules: 11, iterations: 1_000) {
                [preset = Handlers.types(10), error = Handlers.firstOfTypes] times in
                for number in 0..<times {
                    let handler = preset.on(Status.code(number)) {
                        consume($0)
                        return .stop
                    }
                    await handler.handle(error)
                }
            },
            Contender("a linear list customised and used once", rules: 11, iterations: 1_000) {
                [preset = LinearHandler.types(10), error = Handlers.firstOfTypes] times in
                for number in 0..<times {
                    var handler = preset
                    handler.on(Status.code(number)) {
                        consume($0)
                        return true
                    }
                    handler.handle(error)
                }
            },
        ]
    }

    @inline(never)
    private static func makeE8(_ number: Int) -> any Error {
        var error = E8()
        error.code = number
        return error
    }

    /// The contenders without a table: their instructions are counted, or they are compared with another program.
    ///
    /// Delivering begins after all posts, so that each run takes the same number of instructions.
    package static var counted: [Contender] {
        [
            Contender("create and handle, the eighth type", rules: 8) { [handler = Handlers.plainTypes()] times in
                for number in 0..<times { await handler.handle(makeE8(number)) }
            },
            Contender("create an error", rules: 1) { times in
                for number in 0..<times { consume(makeE8(number)) }
            },
            Contender("posting and delivering", rules: 8) { times in
                let bus = ErrorBus(handler: Handlers.plainTypes(), configuration: .init(capacity: times))
                for number in 0..<times { bus.post(makeError(number)) }
                bus.finish()
                await bus.run()
            },
        ]
    }
}
