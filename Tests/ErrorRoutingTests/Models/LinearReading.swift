/// A second implementation of the design: handlers and errors as plain data, and their outcomes.
///
/// It follows the design's text and shares no code with the library, so that the two can be compared
/// (`LinearReadingPropertyTests`). Rules are tried one by one, last registered first.
enum LinearReading {
    /// The effect of a rule that matches.
    enum Answer: Sendable, CaseIterable {
        case next, stop, failure
    }

    enum Verb: Sendable, CaseIterable {
        case on, ignore, onNoMatch, always
    }

    /// A rule; its number is its name, and represents the line where it is registered.
    struct Rule: Sendable, CustomStringConvertible {
        var number: Int
        var verb: Verb
        var matcher: Matcher
        var answer: Answer
        var isAsynchronous: Bool
        var getsReport: Bool
        /// Whether such a matcher is registered by type, value, or domain, instead of as a matcher.
        var isShort: Bool

        var description: String {
            let traits = [isAsynchronous ? "async" : "", getsReport ? "report" : "", isShort ? "short" : ""]
            return "#\(number) \(verb) \(matcher) \(answer) \(traits.joined(separator: " "))"
        }
    }

    /// The outcome of an error.
    struct Result: Equatable {
        var disposition = "unmatched"
        var matchedRuleCount = 0
        var rule: Int?
        var failures: [Int] = []

        /// The outcome as an `always` action notes it.
        var note: String { "\(disposition) \(matchedRuleCount) \(rule ?? 0) \(failures)" }
    }

    /// A handler, as the list of its rules in the order of registration.
    struct Handler: Sendable {
        var rules: [Rule]

        private func reversed(_ verbs: Verb...) -> [Rule] {
            rules.reversed().filter { verbs.contains($0.verb) }
        }

        /// Returns the outcome of an error, and the notes of its actions.
        ///
        /// Promises 1 to 4.
        func handle(_ error: Specimen) -> (result: Result, notes: [String]) {
            var result = Result()
            var notes: [String] = []

            /// Returns whether the rule stops.
            func run(_ rule: Rule, _ found: Found, isLast: Bool) -> Bool {
                let outcome = isLast ? result.note : "-"
                notes.append(rule.note(found.signature, report: error.signature, outcome: outcome))
                if rule.answer == .failure { result.failures.append(rule.number) }
                return rule.answer == .stop
            }

            for rule in reversed(.on, .ignore) {
                guard let found = rule.matcher.find(in: error) else { continue }
                result.matchedRuleCount += 1
                result.rule = rule.number
                result.disposition = rule.verb == .ignore ? "ignored" : "handled"
                if rule.verb == .ignore || run(rule, found, isLast: false) { break }
            }
            if result.matchedRuleCount == 0 {
                for rule in reversed(.onNoMatch) where run(rule, .error(error), isLast: false) { break }
            }
            for rule in reversed(.always) where run(rule, .error(error), isLast: true) { break }
            return (result, notes)
        }

        /// Whether errors of the error's type can be handled without suspending.
        ///
        /// Promise 5.
        func isSynchronous(for error: Specimen) -> Bool {
            if reversed(.always).contains(where: \.isAsynchronous) { return false }
            let rules = reversed(.on, .ignore)
            if rules.contains(where: { $0.isAsynchronous && $0.matcher.verdict(on: error) != .never }) { return false }
            return rules.contains { $0.matcher.verdict(on: error, includingDomain: false) == .always }
                || !reversed(.onNoMatch).contains(where: \.isAsynchronous)
        }

        /// Returns the number and the verdict of each rule.
        ///
        /// Promise 5.
        func explain(_ error: Specimen) -> [String] {
            var lines: [String] = []
            var firstMatch: Int?
            var ignoring: Int?
            for rule in reversed(.on, .ignore) {
                let position = lines.count + 1
                if let ignoring {
                    lines.append("\(rule.number): not reached: rule \(ignoring) ignores the error")
                } else if rule.matcher.find(in: error) == nil {
                    lines.append("\(rule.number): did not match")
                } else {
                    lines.append("\(rule.number): \(firstMatch == nil ? "matched" : "matched, runs if reached")")
                    firstMatch = firstMatch ?? position
                    ignoring = rule.verb == .ignore ? position : nil
                }
            }
            for (position, rule) in reversed(.onNoMatch).enumerated() {
                if let firstMatch {
                    let did = firstMatch == ignoring ? "ignores the error" : "matched"
                    lines.append("\(rule.number): not reached: rule \(firstMatch) \(did)")
                } else {
                    lines.append("\(rule.number): \(position == 0 ? "matched" : "matched, runs if reached")")
                }
            }
            for (position, rule) in reversed(.always).enumerated() {
                lines.append("\(rule.number): \(position == 0 ? "matched" : "matched, runs if reached")")
            }
            return lines
        }

        /// The value that a map with this handler's matching rules returns.
        func value(for error: Specimen) -> String {
            for rule in reversed(.on, .ignore) {
                guard let found = rule.matcher.find(in: error) else { continue }
                return rule.verb == .ignore ? "\(rule.number)" : "\(rule.number) \(found.signature)"
            }
            return "default"
        }
    }
}

extension LinearReading.Rule {
    /// The note that its action takes when it runs.
    func note(_ found: String, report: String, outcome: String) -> String {
        getsReport ? "\(number): \(found) in \(report), \(outcome)" : "\(number): \(found)"
    }
}
