@MainActor
final class Screen {
    var orders: [Order] = []
    private var loading: Task<Void, any Error>?
    private var saving: Task<Void, any Error>?
    private var saves: [Task<Void, any Error>] = []
    private var loads: [Task<[Order], any Error>] = []

    func appear() {
        Task {  //~ task
            orders = try await store.load()
        }
        Task { @MainActor [weak self] in  //~ task
            guard let self else { return }
            self.orders = try await store.load()
        }
        Task.detached { try await store.save(Order()) }  //~ task
        let task = Task { try await store.save(Order()) }  //~ task
        task.cancel()
        loading = Task { try await store.save(Order()) }  //~ task
        saves.append(Task { try await store.save(Order()) })  //~ task
        Task {  //~ task harmless
            try await Task.sleep(for: .seconds(7))
            orders = []
        }
        Task {  //~ task
            do {
                try await store.save(Order())
            } catch is OutOfStock {
                showAlert("Out of stock")
            }
        }
    }

    func disappear() {
        loading?.cancel()
        saves.forEach { $0.cancel() }
    }

    // The error arrives where the value is awaited.
    func awaited() async throws {
        try await Task { try await store.save(Order()) }.value
        let task = Task { try await store.load() }
        use(try await task.value)
        saving = Task { try await store.save(Order()) }
        try await saving?.value
        let other = Task { try await store.load() }
        keep(other)
        loads.append(Task { try await store.load() })
        for load in loads { use(try await load.value) }
    }

    func returned() -> Task<[Order], any Error> {
        Task { try await store.load() }
    }

    func keep(_ task: Task<[Order], any Error>) {}

    // Nothing leaves the operation.
    func caught() {
        Task {
            do {
                try await store.save(Order())
            } catch {
                showAlert("\(error)")
            }
        }
        Task { await appeared() }
        Task {
            do {
                try await store.save(Order())
            } catch {
                showAlert("\(error)")
                throw error
            }
        }
        Task {
            do {
                try await store.save(Order())
            } catch {  //~ reported-twice harmless
                logger.error("\(error)")
                throw error
            }
        }
    }

    func appeared() async {}
}
