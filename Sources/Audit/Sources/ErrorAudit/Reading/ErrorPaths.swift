import SwiftSyntax

/// Follows the paths through a block with an error, and finds out whether one of them loses it.
struct ErrorPaths {
    enum Fate: Equatable {
        /// Every path reports the error.
        case reported
        /// Only some errors or some paths are reported.
        case partlyReported
        /// The error is only printed or logged at debug level.
        case printed
        /// Nothing reports the error.
        case silent
    }

    let file: SourceText

    /// Returns the fate of an error in a block.
    ///
    /// - Parameters:
    ///   - statements: The block.
    ///   - names: The names of variables with the error.
    func fate(of statements: CodeBlockItemListSyntax, names: Set<String>) -> Fate {
        var names = names
        var isPrinted = false
        var isPartlyReported = false
        func ending(_ fate: Fate) -> Fate { isPartlyReported && fate != .reported ? .partlyReported : fate }
        for statement in statements {
            switch follow(statement.item, &names) {
            case .ends(let fate): return isPartlyReported && fate == .reported ? .reported : ending(fate)
            case .continues(let printed, let partly):
                isPrinted = isPrinted || printed
                isPartlyReported = isPartlyReported || partly
            }
        }
        return ending(isPrinted ? .printed : .silent)
    }

    private enum Step {
        /// The error was reported, or the rest of the block handles only expected errors.
        case ends(Fate)
        case continues(printed: Bool, partly: Bool)

        static let nothing = continues(printed: false, partly: false)
    }

    private func follow(_ item: CodeBlockItemSyntax.Item, _ names: inout Set<String>) -> Step {
        let node = Syntax(item)
        let statement = node.as(ExpressionStmtSyntax.self).map { Syntax($0.expression) } ?? node
        if let branch = statement.as(IfExprSyntax.self) { return follow(branch, &names) }
        if let check = statement.as(GuardStmtSyntax.self) { return follow(check, &names) }
        if let choice = statement.as(SwitchExprSyntax.self) { return follow(choice, names) }
        if let block = statement.as(DoStmtSyntax.self) {
            let fate = fate(of: block.body.statements, names: names)
            return fate == .reported
                ? .ends(.reported) : .continues(printed: fate == .printed, partly: fate == .partlyReported)
        }
        // Skip a throwing cleanup: its error is a different one.
        if statement.is(DeferStmtSyntax.self) { return .nothing }
        let use = ErrorUse(of: statement, names: names, in: file)
        names = use.names
        if use.isReported { return .ends(.reported) }
        if statement.is(ReturnStmtSyntax.self) { return .ends(use.isPrinted ? .printed : .silent) }
        return .continues(printed: use.isPrinted, partly: false)
    }

    private func follow(_ branch: IfExprSyntax, _ names: inout Set<String>) -> Step {
        let check = ErrorCheck(branch.conditions, names)
        names.formUnion(check.bound)
        let then = fate(of: branch.body.statements, names: names)
        let otherwise: Fate? =
            switch branch.elseBody {
            case .codeBlock(let block): fate(of: block.statements, names: names)
            case .ifExpr(let next):
                switch follow(next, &names) {
                case .ends(let fate): fate
                case .continues(let printed, let partly): partly ? .partlyReported : printed ? .printed : .silent
                }
            case nil: nil
            }
        switch check.meaning {
        case .expects:
            // The rest of the block handles the other errors.
            if let otherwise {
                return otherwise == .reported ? .ends(.reported) : .continues(printed: false, partly: then == .reported)
            }
            return .continues(printed: false, partly: then == .reported)
        case .excludes:
            return then == .reported ? .ends(.reported) : .continues(printed: then == .printed, partly: false)
        case .other:
            guard let otherwise else {
                return then == .reported ? .ends(.reported) : .continues(printed: then == .printed, partly: false)
            }
            if then == .reported, otherwise == .reported { return .ends(.reported) }
            // Treat a retry as a report: the last failure will be reported.
            let silent = then == .reported ? Syntax(branch.elseBody) : Syntax(branch.body)
            if then == .reported || otherwise == .reported, Words.triesAgain(silent?.description ?? "") {
                return .ends(.reported)
            }
            let printed = then == .printed || otherwise == .printed
            return .continues(printed: printed, partly: then == .reported || otherwise == .reported)
        }
    }

    private func follow(_ check: GuardStmtSyntax, _ names: inout Set<String>) -> Step {
        let condition = ErrorCheck(check.conditions, names)
        let failed = fate(of: check.body.statements, names: names)
        names.formUnion(condition.bound)
        switch condition.meaning {
        // The other errors leave the block here.
        case .expects: return .ends(failed == .reported ? .reported : .partlyReported)
        case .excludes, .other: return .nothing
        }
    }

    private func follow(_ choice: SwitchExprSyntax, _ names: Set<String>) -> Step {
        let fates: [(isDefault: Bool, fate: Fate)] = choice.cases.compactMap { element in
            guard let branch = element.as(SwitchCaseSyntax.self) else { return nil }
            let isDefault = branch.label.is(SwitchDefaultLabelSyntax.self)
            let bound = Set(Syntax(branch.label).boundNames)
            return (isDefault, fate(of: branch.statements, names: names.union(bound)))
        }
        let reported = fates.filter { $0.fate == .reported }
        if reported.count == fates.count, !fates.isEmpty { return .ends(.reported) }
        if !ErrorUse.mentions(choice.subject, names) {
            return reported.isEmpty
                ? .continues(printed: fates.contains { $0.fate == .printed }, partly: false) : .ends(.reported)
        }
        if let last = fates.last, last.isDefault, last.fate == .reported { return .ends(.reported) }
        return .continues(printed: fates.contains { $0.fate == .printed }, partly: !reported.isEmpty)
    }
}

/// The meaning of a condition for an error.
struct ErrorCheck {
    enum Meaning {
        /// It is true for some errors, or in a cancelled task.
        case expects
        /// It is true for all errors except some.
        case excludes
        /// It doesn't test the error.
        case other
    }

    private(set) var meaning: Meaning = .other
    /// The names of variables with the error if the condition is true.
    private(set) var bound: Set<String> = []

    init(_ conditions: ConditionElementListSyntax, _ names: Set<String>) {
        for element in conditions {
            let condition = Syntax(element.condition)
            let isAboutError = ErrorUse.mentions(condition, names)
            guard isAboutError || ErrorUse.mentions(condition, ["isCancelled", "CancellationError"]) else { continue }
            if isAboutError { bound.formUnion(condition.boundNames) }
            let tokens = condition.tokens(viewMode: .sourceAccurate).map(\.text)
            // `if let error` and `error as NSError` are true for every error.
            let isSpecific =
                ["is", "as", "==", "!=", "case", "~=", "contains", "isCancelled", "CancellationError", "code"]
                .contains { tokens.contains($0) } || tokens.contains(".")
            guard isSpecific, !(tokens.contains("as") && tokens.contains("NSError") && tokens.count < 8) else {
                continue
            }
            let isOff = tokens.contains("false") || tokens.contains("nil")
            let isNegated = tokens.first == "!" || (tokens.contains("!=") && !isOff) || (tokens.contains("==") && isOff)
            meaning = isNegated ? .excludes : .expects
        }
    }
}

extension SyntaxProtocol {
    /// The names that the patterns in a node bind.
    var boundNames: [String] {
        let visitor = PatternNames(viewMode: .sourceAccurate)
        visitor.walk(self)
        return visitor.names
    }
}

private final class PatternNames: SyntaxVisitor {
    var names: [String] = []

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
        names.append(node.identifier.text)
        return .skipChildren
    }

    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
