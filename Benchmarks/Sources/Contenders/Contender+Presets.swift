import ErrorRouting

/// The contenders with the rules of typical applications and their hand-written equivalents.
///
/// An application's rules are on top of a preset with an `onNoMatch`. Most applications also log in an `always`.
extension Contender {
    /// The numbers of rules in the series over predicates.
    package static let predicates = [1, 10, 100]

    package static var presets: [Contender] {
        let first = Handlers.firstOfTypes
        let below = Handlers.preset(Handlers.types(10)).overlaid(with: Handlers.tenTypes())
        let logged = Handlers.preset(Handlers.types(10)).overlaid(with: Handlers.logging())
        return [
            handling("preset, by type", 10, Handlers.preset(Handlers.types(10)), first),
            handling("preset, miss", 10, Handlers.preset(Handlers.types(10)), Unknown()),
            // Put the errors' rules in the preset's block, below one or two other blocks.
            handling("preset, below another block", 20, below, first),
            handling("preset, below two blocks", 28, below.overlaid(with: Handlers.plainTypes()), first),
            handling("preset and logging", 10, logged, first),
            handling(
                "preset and logging, action with report", 11, logged.overlaid(with: Handlers.reportTaker()), E1()),
            handling(
                "preset, asynchronous action", 11,
                Handlers.preset(Handlers.types(10)).overlaid(with: Handlers.asynchronous()), E1()),
            handling("preset, the eighth of ten types", 10, Handlers.preset(Handlers.tenTypes()), E8()),
            handling(
                "preset and a log call, the eighth of ten types", 10,
                Handlers.preset(Handlers.tenTypes()).overlaid(with: Handlers.logCall()), E8()),
            Contender("switch over ten types, the eighth", rules: 10) { [error = E8() as any Error] times in
                for _ in 0..<times { consume(handleBySwitch10(error)) }
            },
            Contender("switch over ten types, none of them", rules: 10) { [error = Unknown() as any Error] times in
                for _ in 0..<times { consume(handleBySwitch10(error)) }
            },
            Contender("switch over ten types and a log call, the eighth", rules: 10) {
                [error = E8() as any Error] times in
                for _ in 0..<times { handleBySwitch10AndLog(error) }
            },
            handling("preset, none of ten types", 10, Handlers.preset(Handlers.tenTypes()), Unknown()),
            // The closures are called from last to first, so the eighth call is for the third type.
            closures("list of closures over ten types, the eighth", .tenTypes(), E3()),
            closures("list of closures over ten types, none of them", .tenTypes(), Unknown()),
            closures(
                "list of closures over ten types and a log call, the eighth",
                ClosureList.tenTypes().always { error, isHandled in
                    log(error, isHandled: isHandled, fileID: #fileID, line: #line)
                }, E3()),
            closures("list of closures, by type", ClosureList.types(10), first),
            closures("list of closures, miss", ClosureList.types(10), Unknown()),
            closures("list of closures and logging", ClosureList.types(10).always { consume($1) }, first),
        ]
            + predicates.flatMap { count in
                [
                    handling("predicates", count, Handlers.predicates(count), E1()),
                    closures("list of closures, predicates", ClosureList.predicates(count), E1()),
                ]
            }
    }

    static func closures(_ name: String, _ list: ClosureList, _ error: any Error) -> Contender {
        Contender(name, rules: list.count, iterations: max(20_000 / list.count, 50)) { times in
            for _ in 0..<times { list.handle(error) }
        }
    }
}
