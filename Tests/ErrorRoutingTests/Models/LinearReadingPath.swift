import ErrorRouting

extension LinearReading {
    /// The handler of a bus and the handlers of the scopes below it, each within the previous scope.
    struct Path: Sendable, CustomStringConvertible {
        /// One handler of the path.
        ///
        /// For the outermost handler, which is the bus's, the order has no meaning.
        struct Level: Sendable {
            var handler: Handler
            var isInnermostFirst: Bool
        }

        /// The levels from the outside in.
        var levels: [Level]

        /// The one handler to which the path is equivalent.
        ///
        /// Promise 21: concatenation, where rules that count as registered later are tried first; `onNoMatch` follows
        /// its own order, the innermost first.
        var concatenation: Handler {
            var registered: [Rule] = []
            for level in levels {
                if level.isInnermostFirst {
                    registered = registered + level.handler.rules
                } else {
                    registered = level.handler.rules + registered
                }
            }
            let fromOutsideIn = levels.flatMap(\.handler.rules)
            return Handler(
                rules: registered.filter { $0.verb != .onNoMatch } + fromOutsideIn.filter { $0.verb == .onNoMatch }
            )
        }

        /// The scope where a rule is registered; empty for the bus.
        func scope(of rule: Int) -> [String] {
            let depth = levels.firstIndex { $0.handler.rules.contains { $0.number == rule } } ?? 0
            return (0..<depth).map(Self.name)
        }

        var description: String {
            levels.map { level in
                let rules = level.handler.rules.map { "    \($0)" }
                return (["  \(level.isInnermostFirst ? "innermost" : "root") first"] + rules).joined(separator: "\n")
            }.joined(separator: "\n")
        }

        private static func name(_ depth: Int) -> String { "scope \(depth + 1)" }

        /// The library's handler for the bus.
        var busHandler: ErrorHandler { levels[0].handler.handler(split: 0) }

        /// The library's scopes below a bus, from the outside in.
        func scopes(of bus: ErrorBus) -> [ErrorScope] {
            var scopes: [ErrorScope] = []
            for (depth, level) in levels.dropFirst().enumerated() {
                let (name, handler) = (Self.name(depth), level.handler.handler(split: 0))
                let order: ErrorScope.Order = level.isInnermostFirst ? .innermostFirst : .rootFirst
                let scope = scopes.last?.scope(name, handler: handler, order: order)
                scopes.append(scope ?? bus.scope(name, handler: handler, order: order))
            }
            return scopes
        }
    }
}

extension LinearReading.Generator {
    /// A path of handlers that are related to the given errors; some have no rules, a few have many.
    ///
    /// On every fourth path most rules are `onNoMatch` rules, which would hardly ever run otherwise.
    mutating func path(for errors: [LinearReading.Specimen], levels: Int) -> LinearReading.Path {
        let fallsBack = number(0..<4) == 0
        return LinearReading.Path(
            levels: (0..<levels).map { _ in
                var handler = handler(for: errors, rules: number(0..<30) == 0 ? 25 : number(0..<6))
                for index in handler.rules.indices where fallsBack && number(0..<4) > 0 {
                    handler.rules[index].verb = .onNoMatch
                }
                return .init(handler: handler, isInnermostFirst: number(0..<2) == 0)
            }
        )
    }
}
