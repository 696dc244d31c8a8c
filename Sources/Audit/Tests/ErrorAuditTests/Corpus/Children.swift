func children() async throws {
    await withThrowingTaskGroup(of: Void.self) { group in  //~ children
        group.addTask { try await store.save(Order()) }
    }
    async let _ = try store.load()  //~ children
    async let unread = store.load()  //~ children

    // The body reads the errors of the children.
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await store.save(Order()) }
        try await group.waitForAll()
    }
    try await withThrowingTaskGroup(of: [Order].self) { group in
        group.addTask { try await store.load() }
        for try await orders in group { use(orders) }
    }
    try await withThrowingDiscardingTaskGroup { group in
        group.addTask { try await store.save(Order()) }
    }
    await withTaskGroup(of: Void.self) { group in
        group.addTask { use([]) }
    }
    async let orders = store.load()
    use(try await orders)
    async let (first, second) = (store.load(), store.load())
    use(try await first + second)
}
