import ErrorRouting

/// A place where Swift loses an error.
struct Place: Sendable {
    let name: String
    /// The code in its usual form.
    let alone: @Sendable () async throws -> Void
    /// The same code with the bus.
    let withBus: @Sendable (ErrorBus) async throws -> Void
}

extension Place {
    static let all = [
        Place(name: "_ = Task { try … }") {
            // error-audit: harmless, because it shows a loss; without `_ =`, Swift 6.4 warns.
            _ = Task { try Shop.syncOrders() }
        } withBus: { bus in
            bus.task { try Shop.syncOrders() }
        },
        Place(name: "callback on a thread") {
            Shop.upload { error in
                guard error == nil else { return }  // error-audit: harmless, because it shows a loss
                print("uploaded")
            }
        } withBus: { _ in
            Shop.upload { error in
                if let error { return postError(error) }
                print("uploaded")
            }
        },
        Place(name: "try?") {
            // error-audit: harmless, because the demo shows this loss
            print((try? Shop.loadMenu()) ?? "no menu today")
        } withBus: { bus in
            print(bus.catching { try Shop.loadMenu() } ?? "no menu today")
        },
        Place(name: "second error in a group") {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try Shop.loadPrices() }
                group.addTask { try await Shop.countStock() }
                for try await _ in group {}  // throws the first error and cancels the other task
            }
        } withBus: { bus in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try Shop.loadPrices() }
                group.addTask { try await bus.rethrowing { try await Shop.countStock() } }
                for try await _ in group {}
            }
        },
        Place(name: "catch { print(error) }") {
            // error-audit: harmless, because the demo shows this loss
            do { try Shop.charge() } catch { print(error) }
        } withBus: { bus in
            do { try Shop.charge() } catch { bus.post(error) }
        },
    ]
}
