import SwiftSyntax

/// Finds objects of frameworks that catch errors and tell nobody.
extension Detector {
    private static let jobs = (
        bus: "JobReports()  // in its closure: a `JobMiddleware` with `onCompletedJob`",
        plain: "…  // in its closure: a `JobMiddleware` whose `onCompletedJob` logs the failure"
    )
    /// The types that catch the errors of the code that they are given, by the module that has them.
    private static let hosts: [(module: String, type: String, bus: String, plain: String)] = [
        (
            "Hummingbird", "Router", "router.addMiddleware { ErrorReportingMiddleware() }",
            "router.add(middleware: …)  // whose `handle` logs what `next` throws, and throws it again"
        ),
        (
            "Hummingbird", "RouterBuilder", "ErrorReportingMiddleware()  // first in the closure",
            "…  // first in the closure: a middleware that logs what `next` throws, and throws it again"
        ),
        (
            "Hummingbird", "Application", "Application(router: Router().addMiddleware { ErrorReportingMiddleware() })",
            "Application(router: Router().addMiddleware { … })  // which logs what `next` throws"
        ),
        ("Jobs", "JobQueue", jobs.bus, jobs.plain), ("Jobs", "JobService", jobs.bus, jobs.plain),
    ]

    /// Finds a router or a job queue without anything that reports.
    func hook(_ call: FunctionCallExprSyntax) -> Loss? {
        let callee = call.plainCallee
        guard
            let host = Self.hosts.first(where: { host in
                host.type == callee && file.modules.contains { $0.hasPrefix(host.module) }
            })
        else { return nil }
        // A router of its own is a finding of its own.
        if host.type == "Application", call.argument("responder") == nil { return nil }
        // A queue's middleware stands in its closure, and a router's anywhere.
        let scope = host.module == "Jobs" ? Syntax(call) : Syntax(file.tree)
        guard !file.reportsByMiddleware(in: scope) else { return nil }
        var loss = Loss(kind: .noHook, token: Syntax(call), tried: Syntax(call.calledExpression))
        (loss.bus, loss.plain) = (host.bus, host.plain)
        return loss
    }

    /// Finds a hook for errors that does nothing by default: `onFailed: (any Error) -> Void = { _ in }`.
    func defaultHook(_ clause: InitializerClauseSyntax) -> Loss? {
        guard let closure = clause.value.as(ClosureExprSyntax.self), closure.parameterNames.contains("_"),
            closure.parameterNames.allSatisfy({ $0 == "_" }),
            !ErrorUse(of: closure.statements, names: [], in: file).isReported
        else { return nil }
        let parameter = clause.parent?.as(FunctionParameterSyntax.self)
        let binding = clause.parent?.as(PatternBindingSyntax.self)
        let name = parameter?.firstName.text ?? binding?.pattern.trimmedDescription ?? ""
        let type = parameter?.type.trimmedDescription ?? binding?.typeAnnotation?.type.trimmedDescription ?? ""
        let types = type.split { !$0.isLetter && !$0.isNumber }
        let takesErrors = types.contains { $0.hasSuffix("Error") } || type.isEmpty && Words.indicatesFailure(name)
        guard !name.isEmpty, takesErrors, !type.contains("Never") else { return nil }
        var loss = Loss(kind: .noHook, token: Syntax(closure), tried: nil)
        loss.notes.append(("by default, `\(name)` ignores the error", -10))
        loss.bus = Advice.closure(closure.parameterNames, error: closure.parameterNames.count - 1)
        return loss
    }
}

extension SourceText {
    private static let reporting = Words.list(
        "bugsnag crash crashes crashlytics error errors failure failures report reporter reporting reports sentry")

    /// Whether a middleware is added whose name tells that it reports, or that this file can't see.
    fileprivate func reportsByMiddleware(in node: Syntax) -> Bool {
        node.tokens(viewMode: .sourceAccurate).contains { token in
            guard let call = token.parent?.enclosing(FunctionCallExprSyntax.self, upTo: { !$0.is(ExprSyntax.self) })
            else { return false }
            // `addMiddleware(to: router)` is elsewhere.
            let isElsewhere =
                Words.has(call.name, ["middleware", "middlewares"]) && call.name.first?.isLowercase == true
                && call.arguments.contains { $0.expression.is(DeclReferenceExprSyntax.self) }
            if isElsewhere { return true }
            guard call.name.first?.isUppercase == true, Words.has(call.name, Self.reporting) else { return false }
            // In a builder's closure, or an argument of `add`.
            if call.parent?.is(CodeBlockItemSyntax.self) == true { return true }
            let outer = call.parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
            return ["add", "append", "use", "addMiddleware"].contains(outer?.name)
        }
    }
}
