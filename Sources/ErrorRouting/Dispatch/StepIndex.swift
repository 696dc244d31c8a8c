/// Steps that depend on more than an error's type: on its value, or on its domain and code.
///
/// Each list also has the steps for all errors of the type, so that a dispatch reads only one list.
///
/// Unchecked because the compiler can't check a class with subclasses; all stored properties are constants.
class StepIndex: @unchecked Sendable {
    /// Returns the steps for an error, or nil if no rule has its key; runs user code (`==`, `hash`, an error's code).
    ///
    /// - Precondition: The error is of the index's type.
    func lookUp<Content: Error>(
        _ content: Content, _ error: UnboxedError, _ notes: inout DispatchNotes
    ) -> RuleStepList? { mustBeOverridden() }
}
