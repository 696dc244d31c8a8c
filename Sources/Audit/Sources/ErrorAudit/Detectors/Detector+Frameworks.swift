import SwiftSyntax

/// Finds framework objects that catch errors without reporting them.
extension Detector {
    /// The types that catch the errors of the code that is passed to them.
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

    /// Finds a router or a job queue to which no reporting middleware is added.
    func hook(_ call: FunctionCallExprSyntax) -> Loss? {
        let callee = call.plainCallee
        let host = Self.hosts.first { host in
            host.types.contains(callee) && file.modules.contains { $0.hasPrefix(host.module) }
        }
        guard let host else { return nil }
        // Skip an application without a `responder` argument: its router is a separate finding.
        if callee == "Application", call.argument("responder") == nil { return nil }
        // A queue's middleware is added in the queue's closure; a router's middleware can be added anywhere in the
        // file.
        let scope = host.module == "Jobs" ? Syntax(call) : Syntax(file.tree)
        guard !scope.nodes(FunctionCallExprSyntax.self).contains(where: Self.isReportingMiddleware) else { return nil }
        var loss = Loss(kind: .noHook, token: Syntax(call), tried: Syntax(call.calledExpression))
        (loss.bus, loss.plain) = (host.bus, host.plain)
        return loss
    }

    /// Returns whether a call adds a middleware whose name indicates that it reports errors, or calls a function that
    /// adds middleware and is defined in another file.
    private static func isReportingMiddleware(_ call: FunctionCallExprSyntax) -> Bool {
        let isType = call.name.first?.isUppercase == true
        guard isType else {
            // Accept `addMiddleware(to: router)`: another file adds the middleware.
            return Words.has(call.name, ["middleware", "middlewares"])
                && call.arguments.contains { $0.expression.is(DeclReferenceExprSyntax.self) }
        }
        // The middleware is a statement in a builder's closure or an argument of `add`.
        let outer = call.parent?.parent?.parent?.as(FunctionCallExprSyntax.self)?.name
        return Words.has(call.name, reporting)
            && (call.parent?.is(CodeBlockItemSyntax.self) == true
                || ["add", "append", "use", "addMiddleware"].contains(outer))
    }

    /// Finds an error hook that ignores errors by default, such as `onFailed: (any Error) -> Void = { _ in }`.
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
