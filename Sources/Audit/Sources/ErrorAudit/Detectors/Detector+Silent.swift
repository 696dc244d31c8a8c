import SwiftSyntax

/// Finds known calls that fail without throwing and whose outcome the code ignores.
extension Detector {
    /// How a call indicates that it failed.
    private enum Answer {
        /// It returns nil for every error.
        case absence
        /// It returns a Boolean or a status.
        case status
        /// It calls a handler, which can be omitted.
        case handler
    }

    private static let osStatus =
        "let status = %; if status != 0 { postError(NSError(domain: NSOSStatusErrorDomain, code: Int(status))) }"
    /// The calls and the code to write instead, in which `@` is the first argument and `%` is the call.
    ///
    /// A key consists of a function's name, a word of its receiver and its name, or its name and its first label.
    private static let silentCalls: [String: (answer: Answer, instead: String)] = [
        "contents(atPath": (.absence, "Data(contentsOf: URL(filePath: @))"),
        "FileHandle(forReadingAtPath": (.absence, "FileHandle(forReadingFrom: URL(filePath: @))"),
        "FileHandle(forUpdatingAtPath": (.absence, "FileHandle(forUpdating: URL(filePath: @))"),
        "FileHandle(forWritingAtPath": (.absence, "FileHandle(forWritingTo: URL(filePath: @))"),
        "NSArray(contentsOf": (.absence, "NSArray(contentsOf: @, error: ())"),
        "NSDictionary(contentsOf": (.absence, "NSDictionary(contentsOf: @, error: ())"),
        "decodeObject(forKey": (.absence, "….decodeTopLevelObject(forKey: @)"),
        "keychain.get": (.absence, "% ?? { postError(…); return nil }()"),
        "keychain.set": (.status, "if !% { postError(…) }"),
        "keychain.delete": (.status, "if !% { postError(…) }"),
        "wait(timeout": (.status, "if % == .timedOut { postError(POSIXError(.ETIMEDOUT)) }"),
        "createFile(atPath": (.status, "if !% { postError(CocoaError(.fileWriteUnknown)) }"),
        "SecItemAdd": (.status, osStatus), "SecItemDelete": (.status, osStatus), "SecItemUpdate": (.status, osStatus),
        "center.add": (.handler, "center.add(@) { if let error = $0 { postError(error) } }"),
        "cauterize": (.handler, ".catch { postError($0) }"),
    ]

    /// Finds a call that is listed in the table, or a call with `errorHandler: nil`.
    func silentCall(_ call: FunctionCallExprSyntax) -> Loss? {
        let others = call.arguments.dropFirst()
        let absent = others.first { $0.expression.is(NilLiteralExprSyntax.self) && $0.label?.text == "errorHandler" }
        if absent != nil { return silence(call, .handler, "errorHandler: { postError($0) }") }
        let (name, first) = (call.name, call.arguments.first)
        let label = first?.label?.text
        let keys = label.map { ["\(name)(\($0)"] } ?? ([name] + Words.of(call.callee).map { "\($0).\(name)" })
        // Skip an overload that throws.
        guard let (answer, instead) = keys.lazy.compactMap({ Self.silentCalls[$0] }).first,
            call.enclosing(TryExprSyntax.self, upTo: { !$0.is(ExprSyntax.self) }) == nil
        else { return nil }
        let isRead =
            switch answer {
            case .absence: nilIsReported(of: Syntax(call)) || isPassedThrough(call)
            case .status:
                !isDiscarded(Syntax(call)) || first?.expression.trimmedDescription.hasSuffix("distantFuture") == true
            case .handler: !call.closures.isEmpty || others.contains { !$0.expression.is(NilLiteralExprSyntax.self) }
            }
        guard !isRead else { return nil }
        let code = instead.replacing("@", with: first?.expression.trimmedDescription ?? "")
        return silence(call, answer, code.replacing("%", with: Advice.oneLine(call)))
    }

    /// Returns whether a call's result is force-unwrapped, or is passed on by a function or closure of the same name.
    ///
    /// A value that `init(coder:)` decodes counts too, because it is only one of many values of the object.
    private func isPassedThrough(_ call: FunctionCallExprSyntax) -> Bool {
        let function = file.function(around: call).split(separator: ".").last.map(String.init)
        let label = call.enclosing(LabeledExprSyntax.self, upTo: { $0.is(CodeBlockSyntax.self) })?.label?.text
        return [function, label].contains(call.name) || function == "init" && call.name == "decodeObject"
            || call.parent?.is(ForceUnwrapExprSyntax.self) == true
    }

    /// Finds the use of a keychain's subscript, which drops every error.
    func keychain(_ access: SubscriptCallExprSyntax) -> Loss? {
        let keychain = access.calledExpression
        guard Words.of(keychain.lastName).last == "keychain", let key = access.arguments.first,
            access.arguments.count == 1, [nil, "string", "data"].contains(key.label?.text)
        else { return nil }
        let isWrite = access.parent?.parent?.as(SequenceExprSyntax.self)?.assignment?.target.id == access.id
        guard isWrite else {
            return nilIsReported(of: Syntax(access))
                ? nil : silence(access, .absence, "\(keychain.trimmedDescription).get(\(key.expression))")
        }
        let write = "try \(keychain.trimmedDescription).set(…, key: \(key.expression))"
        var loss = silence(access, .status, "do { \(write) } catch { postError(error) }")
        loss.plain = write
        loss.notes.append(("it changes the keychain", 22))
        return loss
    }

    private func silence(_ node: some ExprSyntaxProtocol, _ answer: Answer, _ instead: String) -> Loss {
        let member = node.as(FunctionCallExprSyntax.self)?.calledExpression.as(MemberAccessExprSyntax.self)?.declName
        var loss = Loss(kind: .droppedResult, token: member.map(Syntax.init) ?? Syntax(node), tried: Syntax(node))
        loss.bus = instead
        switch answer {
        case .absence:
            loss.notes = [("every error becomes nil", -10)]
            if instead.contains("postError") { return loss }
            (loss.bus, loss.plain) = ("errors.catching { try \(instead) }", "try \(instead)")
        case .status: loss.notes = [("its result is discarded", 5)]
        case .handler: loss.notes = [("it has no handler for the error", 5)]
        }
        return loss
    }

    /// Finds a branch that only prints, or logs at debug level, that a call failed.
    ///
    /// The branch belongs to `guard let value = call()`, or to the test of a status.
    func quietBranch(
        _ conditions: ConditionElementListSyntax, else block: CodeBlockSyntax?, of node: Syntax
    ) -> Loss? {
        let isTried = conditions.contains { condition in
            let value = condition.condition.as(OptionalBindingConditionSyntax.self)?.initializer?.value.bare
            return value?.is(FunctionCallExprSyntax.self) == true || condition.mentions(["errSecSuccess", "noErr"])
        }
        // Skip conditions with a `try?`, because it is a separate finding.
        guard let block, isTried, !conditions.description.contains("try?"),
            file.fate(of: block.statements) < .partlyReported
        else { return nil }
        for item in block.statements {
            guard let call = item.expression?.bare.as(FunctionCallExprSyntax.self), file.messageUse(of: call) == .quiet
            else { continue }
            let text = call.arguments.first { $0.expression.is(StringLiteralExprSyntax.self) }?.trimmedDescription ?? ""
            // Skip an assertion unless it checks decoded data: any other assertion checks the program itself.
            let isDecoded = Words.of(conditions.description).contains("decode")
            guard call.name.hasPrefix("assert") ? isDecoded : Words.indicatesFailure(text) else { continue }
            let token = node.is(GuardStmtSyntax.self) ? node : Syntax(item)
            var loss = Loss(
                kind: .droppedResult, token: token, tried: Syntax(conditions), block: block.statements)
            loss.notes = [("the failure is only printed, or logged at debug level", 5)]
            loss.bus = "logger.error(\(text))"
            return loss
        }
        return nil
    }
}
