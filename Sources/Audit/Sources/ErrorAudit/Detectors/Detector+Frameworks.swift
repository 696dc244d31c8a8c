import SwiftSyntax

/// Finds objects of frameworks that catch errors and tell nobody.
extension Detector {
    /// The types that catch the errors of the code that they are given.
    private static let hosts: [(module: String, types: Set<String>, bus: String, plain: String)] = [
        (
            "Hummingbird", ["Router"], "router.addMiddleware { ErrorReportingMiddleware() }",
            "router.add(middleware: …)  // whose `handle` logs what `next` throws, and throws it again"
        ),
        (
            "Hummingbird", ["RouterBuilder"], "ErrorReportingMiddleware()  // first in the closure",
            "…  // first in the closure: a middleware that logs what `next` throws, and throws it again"
        ),
        (
            "Hummingbird", ["Application"],
            "Application(router: Router().addMiddleware { ErrorReportingMiddleware() })",
            "Application(router: Router().addMiddleware { … })  // which logs what `next` throws"
        ),
        (
            "Jobs", ["JobQueue", "JobService"],
            "JobReports()  // in its closure: a `JobMiddleware` with `onCompletedJob`",
            "…  // in its closure: a `JobMiddleware` whose `onCompletedJob` logs the failure"
        ),
    ]
    private static let reporting = Words.list(
        "bugsnag crash crashes crashlytics error errors failure failures report reporter reporting reports sentry")

    /// Finds a router or a job queue without anything that reports.
    func hook(_ call: FunctionCallExprSyntax) -> Loss? {
        let callee = call.plainCallee
        let host = Self.hosts.first { host in
            host.types.contains(callee) && file.modules.contains { $0.hasPrefix(host.module) }
        }
        guard let host else { return nil }
        // A router of its own is a finding of its own.
        if callee == "Application", call.argument("responder") == nil { return nil }
        // A queue's middleware stands in its closure, and a router's anywhere.
        let scope = host.module == "Jobs" ? Syntax(call) : Syntax(file.tree)
        guard !scope.nodes(FunctionCallExprSyntax.self).contains(where: Self.isReportingMiddleware) else { return nil }
        var loss = Loss(kind: .noHook, token: Syntax(call), tried: Syntax(call.calledExpression))
        (loss.bus, loss.plain) = (host.bus, host.plain)
        return loss
    }

    /// Returns whether a call adds a middleware whose name tells that it reports, or that this file can't see.
    private static func isReportingMiddleware(_ call: FunctionCallExprSyntax) -> Bool {
        let isType = call.name.first?.isUppercase == true
        guard isType else {
            // `addMiddleware(to: router)` is elsewhere.
            return Words.has(call.name, ["middleware", "middlewares"])
                && call.arguments.contains { $0.expression.is(DeclReferenceExprSyntax.self) }
        }
        // In a builder's closure, or an argument of `add`.
        let outer = call.parent?.parent?.parent?.as(FunctionCallExprSyntax.self)?.name
        return Words.has(call.name, reporting)
            && (call.parent?.is(CodeBlockItemSyntax.self) == true
                || ["add", "append", "use", "addMiddleware"].contains(outer))
    }

    /// Finds a hook for errors that does nothing by default: `onFailed: (any Error) -> Void = { _ in }`.
    func defaultHook(_ clause: InitializerClauseSyntax) -> Loss? {
        guard let closure = clause.value.as(ClosureExprSyntax.self), closure.parameterNames.contains("_"),
            closure.parameterNames.allSatisfy({ $0 == "_" }), !ErrorUse(of: closure.statements, in: file).isReported
        else { return nil }
        let parameter = clause.parent?.as(FunctionParameterSyntax.self)
        let binding = clause.parent?.as(PatternBindingSyntax.self)
        let name = parameter?.firstName.text ?? binding?.pattern.trimmedDescription ?? ""
        let type = parameter?.type.trimmedDescription ?? binding?.typeAnnotation?.type.trimmedDescription ?? ""
        let takesErrors =
            type.split { !$0.isLetter && !$0.isNumber }.contains { $0.hasSuffix("Error") }
            || type.isEmpty && Words.indicatesFailure(name)
        guard !name.isEmpty, takesErrors, !type.contains("Never") else { return nil }
        var loss = Loss(kind: .noHook, token: Syntax(closure), tried: nil)
        loss.notes.append(("by default, `\(name)` ignores the error", -10))
        loss.bus = Advice.closure(closure.parameterNames, error: closure.parameterNames.count - 1)
        return loss
    }
}
