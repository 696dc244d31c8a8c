import ErrorRouting
import Hummingbird

private func annotate(
    _ router: Router<BasicRequestContext>, _ order: @escaping @Sendable (String) async throws -> String
) {
    router.get("orders/:id") { _, context in
        let id = try context.parameters.require("id")
        ErrorScope.current?.annotate("order", with: id)
        return try await order(id)
    }
}
