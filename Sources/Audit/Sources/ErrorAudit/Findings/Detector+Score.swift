import SwiftSyntax

/// Computes how likely it is that a finding matters.
extension Detector {
    /// Returns the score, its reasons, and why the error doesn't need a report, which is nil for a loss.
    func judge(_ loss: Loss, _ tried: Tried) -> (score: Int, why: [String], harmless: String?) {
        let harmless = excuse(tried, loss)
        let notes = loss.notes + weights(tried, loss)
        let score = notes.reduce(loss.kind.baseScore) { $0 + $1.points }
        let why = notes.filter { $0.points != 0 }.sorted { abs($0.points) > abs($1.points) }.map(\.why)
        let bounded = harmless == nil ? min(max(score, 11), 100) : min(max(score - 40, 0), 10)
        return (bounded, [loss.kind.summary] + why, harmless)
    }

    /// Returns why the error doesn't need a report; nil if it needs one.
    ///
    /// Unlike a weight, an excuse mostly depends on the called function, not on the code around it.
    private func excuse(_ tried: Tried, _ loss: Loss) -> String? {
        let names = tried.names
        func all(_ set: Set<String>) -> Bool { !names.isEmpty && names.allSatisfy(set.contains) }
        func closes(_ name: String) -> Bool {
            name.first?.isLowercase == true && Words.closing.isSuperset(of: Words.of(name))
        }
        let isClosing = !names.isEmpty && names.allSatisfy(closes) && !tried.labels.contains("timeout")
        let isDeleting = !names.isEmpty && !Self.deletions.isDisjoint(with: names)
        let first = Words.of(names.first ?? "")
        let isDecoding =
            (first.first == "decode" || first.last == "container") && !tried.labels.contains("from")
            && loss.kind != .droppedResult
        let macro = loss.token.enclosing(MacroExpansionExprSyntax.self)?.macroName.text
        let excuses: [(holds: Bool, why: String)] = [
            (loss.kind == .reportedTwice, "nothing is lost, but the error is reported twice"),
            (loss.isExpected, "only errors that the program expects arrive here"),
            (loss.isSleep || all(Self.sleeps), "it throws only if its task is cancelled"),
            (isDecoding, "decoding only checks whether the value has this form"),
            (tried.callees.first?.hasPrefix("FileHandle.standard") == true, "nobody reads a closed standard output"),
            (isClosing, "it only closes: `\(names.last ?? "")`"),
            (isDeleting && !tried.allWords.isDisjoint(with: Words.temporary), "it only deletes a temporary file"),
            (all(Self.probes), "it only checks for something, and a failure is one of the results"),
            (tried.isConstant && !names.isEmpty && Self.parsers.contains(names[0]), "its arguments are constants"),
            (macro == "Preview", "it is in a preview"),
        ]
        return excuses.first(where: \.holds)?.why
    }

    private static let sleeps = Words.list("sleep checkCancellation gracefulShutdown yield")
    private static let deletions = Words.list(
        "removeItem trashItem unlink remove rmdir deleteFile removeFile deleteItem removeDirectory")
    private static let probes = Words.list(
        """
        resourceValues attributesOfItem attributesOfFileSystem checkResourceIsReachable
        checkPromisedItemIsReachable destinationOfSymbolicLink exists fileExists getResourceValue isReachable readlink
        """)
    /// Functions whose result depends only on their arguments.
    private static let parsers = Words.list(
        """
        NSRegularExpression Regex NSDataDetector NSPredicate AttributedString NSAttributedString URL URI UUID
        Version Semver JSONSchema Locale Glob
        """)

    /// Returns facts that change the score but don't decide whether the error is lost.
    private func weights(_ tried: Tried, _ loss: Loss) -> [(why: String, points: Int)] {
        let verbs = tried.verbs
        func verb(_ set: Set<String>) -> String? { verbs.first(where: set.contains) }
        func has(_ set: Set<String>, _ words: some Sequence<String>) -> Bool { !set.isDisjoint(with: words) }
        let context = Words.of(file.function(around: loss.token).split(separator: ".").last ?? "")
        let isDecorative = has(Words.expendable, tried.words)
        let block = loss.block?.parent?.description ?? ""
        let isCleanUp = verbs.allSatisfy(Words.cleansUp.contains) && !verbs.isEmpty
        let (write, send, fetch) = (verb(Words.writes), verb(Words.sends), verb(Words.fetches))
        let isPayment = has(Words.payments, tried.words)
        let isForced = loss.kind == .forcedTry
        let task = loss.token.enclosing(FunctionCallExprSyntax.self, upTo: Self.isFunction)?.callee
        let weights: [(holds: Bool, points: Int, why: String)] = [
            (isPayment, 25, "it is about a payment or an order"),
            (write != nil && !isCleanUp && !isDecorative, 22, "`\(write ?? "")` changes something"),
            (write == nil && send != nil, 20, "`\(send ?? "")` sends something"),
            (write == nil && send == nil && fetch != nil && !isForced, 2, "`\(fetch ?? "")` reads from somewhere else"),
            (tried.isAwaited, 4, "it awaits work that can fail in many ways"),
            (
                tried.words.isSuperset(of: ["create", "directory"]) || tried.names.contains("mkdir"), -37,
                "later writes to the directory fail too"
            ),
            (loss.isPartlyReported, -5, "some errors are reported, but not all"),
            (loss.kind == .optionalTry && isDiscarded(loss.token), 1, "the nil is ignored"),
            (task == "Task", 5, "it is inside a `Task`"),
            (has(["todo", "fixme"], Words.of(block)) || block.contains("andle error"), 15, "it isn't handled yet"),
            (isDecorative, -20, "it is only decorative, or can be created again"),
            (has(Words.expendable, context), -15, "it is in decorative code"),
            (
                has(["is", "has", "can", "should", "check", "validate", "exists", "supports"], context.prefix(1)), -30,
                "the function only returns yes or no"
            ),
            (isCleanUp && !isPayment, -20, "it only ends or removes something"),
            (Words.cleansUp.contains(context.first ?? ""), -10, "it is in a function that cleans up"),
            (loss.token.enclosing(DeferStmtSyntax.self) != nil, -15, "it is at the end of a scope"),
            (isOnErrorPath(loss.token), -25, "the first error is reported"),
            (comments.explains(loss, in: file), -30, "a comment explains it"),
            (
                isForced && has(["file", "database", "contents", "connection", "data"], tried.words), 20,
                "it depends on a disk or a network"
            ),
            (isForced && tried.isConstant, -10, "its arguments are constants"),
            (
                loss.kind == .substitute && loss.block.map { $0.description.contains("try ") } == true, -20,
                "an alternative is tried"
            ),
        ]
        return weights.filter(\.holds).map { ($0.why, $0.points) }
    }

    /// Returns whether an expression is a statement, or is assigned to `_`.
    func isDiscarded(_ node: Syntax) -> Bool {
        node.parent?.as(CodeBlockItemSyntax.self).map { !$0.isValueOfItsBlock }
            ?? node.parent?.as(ExprListSyntax.self)?.first?.is(DiscardAssignmentExprSyntax.self) ?? false
    }

    /// Returns whether a node is in a `catch` that throws or reports the first error.
    private func isOnErrorPath(_ node: Syntax) -> Bool {
        let clause = node.enclosing(CatchClauseSyntax.self, upTo: Self.isFunction)
        return clause.map { file.fate(of: $0.body.statements, names: $0.errorNames) } == .reported
    }

    private static func isFunction(_ node: Syntax) -> Bool {
        node.is(FunctionDeclSyntax.self) || node.is(InitializerDeclSyntax.self)
    }
}
