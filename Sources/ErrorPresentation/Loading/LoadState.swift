/// The loading state of a value: one state instead of three flags.
///
/// Contradictory states, such as loading and failed at the same time, can't be expressed. An empty list is a loaded
/// value that a pattern can distinguish:
///
/// ```swift
/// switch loader.state {
/// case .idle, .loading: showProgress()
/// case .failed(let failure): show(failure)
/// case .loaded([]): showEmptyList()
/// case .loaded(let items): show(items)
/// }
/// ```
///
/// The pattern `.loaded([])` needs `Equatable` elements. For other elements, write `case .loaded(let items) where
/// items.isEmpty`.
public enum LoadState<Value, Failure: Error> {
    /// No load has begun.
    case idle
    /// A load is in progress.
    case loading
    /// The load failed.
    case failed(Failure)
    /// The value is loaded.
    case loaded(Value)

    /// The loaded value; nil in every other state.
    public var value: Value? {
        if case .loaded(let value) = self { value } else { nil }
    }

    /// The failure; nil in every other state.
    public var error: Failure? {
        if case .failed(let failure) = self { failure } else { nil }
    }

    /// Whether a load is in progress.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// Returns the same state with a transformed value.
    ///
    /// - Parameter transform: Converts the value. Called only for `.loaded`.
    /// - Returns: The state with the new value.
    /// - Throws: The error that the closure throws.
    /// - Complexity: The same as the closure's complexity.
    public func map<NewValue, TransformFailure: Error>(
        _ transform: (Value) throws(TransformFailure) -> NewValue
    ) throws(TransformFailure) -> LoadState<NewValue, Failure> {
        switch self {
        case .idle: .idle
        case .loading: .loading
        case .failed(let failure): .failed(failure)
        case .loaded(let value): .loaded(try transform(value))
        }
    }
}

extension LoadState: Sendable where Value: Sendable {}

extension LoadState: Equatable where Value: Equatable, Failure: Equatable {}

extension LoadState: Hashable where Value: Hashable, Failure: Hashable {}
