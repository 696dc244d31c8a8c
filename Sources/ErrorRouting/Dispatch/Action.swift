/// What runs when a matcher hands something on.
///
/// Both closures get the match and its report; the four shapes that users write are brought to these two here, and
/// nowhere else.
enum Action<Input: Sendable>: Sendable {
    case ignore
    case synchronous(@Sendable (Input, ErrorReport) throws -> HandleStrategy)
    case asynchronous(@Sendable (Input, ErrorReport) async throws -> HandleStrategy)

    static func synchronous(_ action: @escaping @Sendable (Input) throws -> HandleStrategy) -> Self {
        .synchronous { input, _ in try action(input) }
    }

    static func asynchronous(_ action: @escaping @Sendable (Input) async throws -> HandleStrategy) -> Self {
        .asynchronous { input, _ in try await action(input) }
    }
}
