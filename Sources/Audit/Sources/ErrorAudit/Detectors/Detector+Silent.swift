import SwiftSyntax

/// Finds known calls that fail without throwing if no code reads how they ended.
extension Detector {
    /// How a call says that it failed.
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
    /// The calls by name and first label, by a word of the receiver and name, or by name; and the code to write instead.
    ///
    /// In that code, `@` is the first argument and `%` is the call.
    private static let silentCalls: [String: (answer: Answer, instead: String)] = [
        "contents(atPath": (.absence, "Data(contentsOf: URL(filePath: @))"),
        "FileHandle(forReadingAtPath": (.absence, "FileHandle(forReadingFrom: URL(filePath: @))"),
        "FileHandle(forUpdatingAtPath": (.absence, "FileHandle(forUpdating: URL(filePath: @))"),
        "FileHandle(forWritingAtPath": (.absence, "FileHandle(forWritingTo: URL(filePath: @))"),
        "NSArray(contentsOf": (.absence, "NSArray(contentsOf: @, error: ())"),
        "NSDictionary(contentsOf": (.absence, "NSDictionary(contentsOf: @, error: ())"),
        "decodeObject(forKey": (.absence, "decoder.decodeTopLevelObject(forKey: @)"),
        "keychain.get": (.absence, "keychain.get(@)"),
        "keychain.set": (.status, "if !% { postError(KeychainError()) }"),
        "keychain.delete": (.status, "if !% { postError(KeychainError()) }"),
        "createFile(atPath": (.status, "if !% { postError(CocoaError(.fileWriteUnknown)) }"),
        "SecItemAdd": (.status, osStatus), "SecItemDelete": (.status, osStatus), "SecItemUpdate": (.status, osStatus),
        "center.add": (.handler, "center.add(@) { if let error = $0 { postError(error) } }"),
        "cauterize": (.handler, ".catch { postError($0) }"),
    ]

    /// Finds a call from the table, or a call with `errorHandler: nil`.
    func silentCall(_ call: FunctionCallExprSyntax) -> Loss? {
        let name = call.name
        let first = call.arguments.first
        var keys = Words.of(call.callee).map { "\($0).\(name)" } + [name]
        if let label = first?.label?.text { keys.append("\(name)(\(label)") }
        let others = call.arguments.dropFirst()
        let handler = others.first { ["errorHandler", "onError", "onFailure"].contains($0.label?.text) }
        // A call with `try` or `await` is an overload that throws.
        let isEffectful = call.enclosing(TryExprSyntax.self, upTo: { !$0.is(ExprSyntax.self) }) != nil
        guard let (answer, instead) = keys.lazy.compactMap({ Self.silentCalls[$0] }).first, !isEffectful else {
            guard let handler, handler.expression.is(NilLiteralExprSyntax.self) else { return nil }
            return silence(call, .handler, "\(handler.label?.text ?? ""): { postError($0) }")
        }
        switch answer {
        // Skip a function of the same name, which only passes on the result.
        case .absence:
            let function = file.function(around: call).split(separator: ".").last.map(String.init)
            let label = call.enclosing(LabeledExprSyntax.self, upTo: { $0.is(CodeBlockSyntax.self) })?.label?.text
            if [function, label].contains(name) || function == "init" && name == "decodeObject" || call.parent?.is(ForceUnwrapExprSyntax.self) == true { return nil }
            if nilIsReported(of: Syntax(call)) { return nil }
        case .status: guard isDiscarded(Syntax(call)) else { return nil }
        case .handler:
            guard call.closures.isEmpty, others.allSatisfy({ $0.expression.is(NilLiteralExprSyntax.self) }) else { return nil }
        }
        let code = instead.replacing("@", with: first?.expression.trimmedDescription ?? "")
            .replacing("%", with: Advice.oneLine(call))
        return silence(call, answer, code)
    }

    /// Finds an access to a keychain by a subscript, which drops every error.
    func keychain(_ access: SubscriptCallExprSyntax) -> Loss? {
        let keychain = access.calledExpression
        guard Words.of(keychain.lastName).last == "keychain", let key = access.arguments.first, access.arguments.count == 1,
            [nil, "string", "data"].contains(key.label?.text)
        else { return nil }
        let isWrite = access.parent?.parent?.as(SequenceExprSyntax.self)?.assignment?.target.id == access.id
        if !isWrite, nilIsReported(of: Syntax(access)) { return nil }
        let place = "\(keychain.trimmedDescription)"
        guard isWrite else { return silence(access, .absence, "\(place).get(\(key.expression))") }
        var loss = silence(access, .status, "try \(place).set(…, key: \(key.expression))")
        loss.notes.append(("it changes the keychain", 22))
        return loss
    }

    /// Finds a branch that says only in an assertion or at debug level that a call failed.
    ///
    /// The branch belongs to `guard let value = call()`, or to a test of a status.
    func quietBranch(_ conditions: ConditionElementListSyntax, _ block: CodeBlockSyntax?, of node: Syntax) -> Loss? {
        let isTried = conditions.contains { condition in
            let value = condition.condition.as(OptionalBindingConditionSyntax.self)?.initializer?.value.bare
            return value?.is(FunctionCallExprSyntax.self) == true || condition.mentions(["errSecSuccess", "noErr"])
        }
        guard let block, isTried, file.fate(of: block.statements) < .partlyReported,
            let message = block.statements.first(where: { saysFailure($0, of: conditions) })
        else { return nil }
        let isGuard = node.is(GuardStmtSyntax.self)
        var loss = Loss(kind: .printOnly, token: isGuard ? node : Syntax(message), tried: Syntax(conditions), block: block.statements)
        loss.bus = "quiet"
        return loss
    }

    /// Returns whether a statement prints that something failed, or asserts that a value can be decoded.
    private func saysFailure(_ item: CodeBlockItemSyntax, of conditions: ConditionElementListSyntax) -> Bool {
        guard let call = item.expression?.bare.as(FunctionCallExprSyntax.self), file.messageUse(of: call) == .quiet
        else { return false }
        if call.name.hasPrefix("assert") { return Words.of(conditions.trimmedDescription).contains("decode") }
        return call.arguments.contains {
            $0.expression.is(StringLiteralExprSyntax.self) && Words.indicatesFailure($0.expression.trimmedDescription)
        }
    }

    private func silence(_ node: some ExprSyntaxProtocol, _ answer: Answer, _ instead: String) -> Loss {
        let member = node.as(FunctionCallExprSyntax.self)?.calledExpression.as(MemberAccessExprSyntax.self)?.declName
        let token = member.map(Syntax.init) ?? Syntax(node)
        var loss = Loss(kind: .droppedResult, token: token, tried: Syntax(node))
        loss.bus = instead
        switch answer {
        case .absence:
            loss.notes = [("every error becomes nil", -13)]
            loss.bus = "errors.catching { try \(instead) }"
            loss.plain = "try \(instead)"
        case .status: loss.notes = [("its result is thrown away", 5)]
        case .handler: loss.notes = [("it has no handler for the error", 5)]
        }
        return loss
    }
}
