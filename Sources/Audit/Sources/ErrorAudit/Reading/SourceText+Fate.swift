import SwiftSyntax

/// What becomes of an error, from the worst to the best.
enum Fate: Int, Comparable {
    /// The error isn't reported.
    case silent
    /// The error is only printed or logged at debug level.
    case printed
    /// Only some errors are reported, or errors are reported only on some paths.
    case partlyReported
    /// Every path reports the error.
    case reported

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Follows an error along each path through a block and determines whether any path loses it.
extension SourceText {
    /// Returns an error's fate in a block, given the names of the variables that hold the error.
    func fate(of statements: CodeBlockItemListSyntax, names: Set<String> = []) -> Fate {
        var names = names
        var soFar = Fate.silent
        for statement in statements {
            let (fate, isEnd) = follow(statement, &names)
            // Ignore a line printed before a return: the returned value replaces the error.
            if isEnd { return soFar == .partlyReported ? max(soFar, fate) : fate }
            soFar = max(soFar, fate)
        }
        return soFar
    }

    /// Returns the error's fate in a statement, and whether the rest of the block can't change it.
    private func follow(_ item: CodeBlockItemSyntax, _ names: inout Set<String>) -> (Fate, isEnd: Bool) {
        let statement = item.expression.map(Syntax.init) ?? Syntax(item.item)
        let fate: Fate
        switch statement.as(SyntaxEnum.self) {
        case .ifExpr(let branch): fate = follow(branch, &names)
        case .switchExpr(let choice): fate = follow(choice, names)
        case .doStmt(let block): fate = self.fate(of: block.body.statements, names: names)
        case .guardStmt(let check):
            let condition = ErrorCheck(check.conditions, names)
            let failed = self.fate(of: check.body.statements, names: names)
            names.formUnion(condition.bound)
            // The errors that don't meet the condition leave the block here.
            guard condition.meaning == .expects else { return (.silent, false) }
            return (max(failed, .partlyReported), true)
        // Skip a cleanup, whose own error is a different error.
        case .deferStmt: fate = .silent
        default:
            let use = ErrorUse(of: statement, names: names, in: self)
            names = use.names
            fate = use.isReported ? .reported : use.isPrinted ? .printed : .silent
        }
        return (fate, fate == .reported || statement.is(ReturnStmtSyntax.self))
    }

    private func follow(_ branch: IfExprSyntax, _ names: inout Set<String>) -> Fate {
        let check = ErrorCheck(branch.conditions, names)
        names.formUnion(check.bound)
        let then = fate(of: branch.body.statements, names: names)
        let otherwise: Fate? =
            switch branch.elseBody {
            case .codeBlock(let block): fate(of: block.statements, names: names)
            case .ifExpr(let next): follow(next, &names)
            case nil: nil
            }
        // The rest of the block handles the errors that don't meet the condition.
        if check.meaning == .expects {
            return otherwise == .reported ? .reported : then == .reported ? .partlyReported : .silent
        }
        guard check.meaning == .other, let otherwise else { return then == .partlyReported ? .silent : then }
        if min(then, otherwise) == .reported { return .reported }
        guard max(then, otherwise) == .reported else {
            return [then, otherwise].contains(.printed) ? .printed : .silent
        }
        // Treat a retry as a report: the last failure is reported.
        let silent = then == .reported ? Syntax(branch.elseBody) : Syntax(branch.body)
        return Words.triesAgain(silent?.description ?? "") ? .reported : .partlyReported
    }

    private func follow(_ choice: SwitchExprSyntax, _ names: Set<String>) -> Fate {
        let branches = choice.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
        let fates = branches.map { fate(of: $0.statements, names: names.union(Syntax($0.label).boundNames)) }
        guard let last = branches.last, fates.contains(.reported) else {
            return fates.contains(.printed) ? .printed : .silent
        }
        let decides = last.label.is(SwitchDefaultLabelSyntax.self) && fates.last == .reported
        return decides || fates.min() == .reported || !choice.subject.mentions(names) ? .reported : .partlyReported
    }
}

/// What a condition shows about an error.
struct ErrorCheck {
    enum Meaning {
        /// The condition is true for some errors or in a cancelled task.
        case expects
        /// The condition is true for all errors except some.
        case excludes
        /// The condition doesn't test the error.
        case other
    }

    private(set) var meaning: Meaning = .other
    /// The names of the variables that hold the error if the condition is true.
    private(set) var bound: Set<String> = []

    private static let tests: Set = [
        ".", "!=", "==", "CancellationError", "as", "case", "code", "contains", "is", "isCancelled", "~=",
    ]

    init(_ conditions: ConditionElementListSyntax, _ names: Set<String>) {
        for condition in conditions.map(\.condition) {
            if condition.mentions(names) {
                bound.formUnion(condition.boundNames)
            } else if !condition.mentions(["isCancelled", "CancellationError"]) {
                continue
            }
            let tokens = condition.allTokens.map(\.text)
            // `if let error` and `error as NSError` are true for every error.
            let isBridged = tokens.contains("as") && tokens.contains("NSError") && tokens.count < 8
            guard !Self.tests.isDisjoint(with: tokens), !isBridged else { continue }
            let isOff = tokens.contains("false") || tokens.contains("nil")
            meaning = tokens.first == "!" || tokens.contains(isOff ? "==" : "!=") ? .excludes : .expects
        }
    }
}
