/// What a screen shows of something that is loaded: one state instead of three flags.
///
/// Nothing can be loading and failed at once, or loaded and nowhere to be seen. An empty list is a loaded one, and is
/// told apart by its pattern:
///
/// ```swift
/// switch loader.state {
/// case .idle, .loading: showProgress()
/// case .failed(let failure): show(failure)
/// case .loaded([]): showThatThereIsNothing()
/// case .loaded(let items): show(items)
/// }
/// ```
///
/// The pattern compares, so it needs elements that can be compared; for others it is
/// `case .loaded(let items) where items.isEmpty`.
public enum Loadable<Value, Failure: Error> {
    /// Nothing has been asked for.
    case idle
    /// It is under way.
    case loading
    /// It could not be had.
    case failed(Failure)
    /// It is there.
    case loaded(Value)

    /// What was loaded; nil in every other state.
    public var value: Value? {
        if case .loaded(let value) = self { value } else { nil }
    }

    /// Why it could not be had; nil in every other state.
    public var error: Failure? {
        if case .failed(let failure) = self { failure } else { nil }
    }

    /// Whether it is under way.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The same state, with something else made of what was loaded.
    ///
    /// - Parameter transform: What to make of it; called only where something was loaded.
    /// - Returns: The state with the new value.
    /// - Throws: What the closure throws.
    /// - Complexity: That of the closure.
    public func map<NewValue, TransformFailure: Error>(
        _ transform: (Value) throws(TransformFailure) -> NewValue
    ) throws(TransformFailure) -> Loadable<NewValue, Failure> {
        switch self {
        case .idle: .idle
        case .loading: .loading
        case .failed(let failure): .failed(failure)
        case .loaded(let value): .loaded(try transform(value))
        }
    }
}

extension Loadable: Sendable where Value: Sendable {}

extension Loadable: Equatable where Value: Equatable, Failure: Equatable {}
