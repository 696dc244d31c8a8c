import Foundation

nonisolated struct Order: Codable, Sendable {
    var number = 0
}

nonisolated struct OutOfStock: Error {}

nonisolated struct Store: Sendable {
    func load() async throws -> [Order] { throw OutOfStock() }
    func save(_ order: Order) async throws {}
    func saveNow(_ order: Order) throws {}
    func close() async throws {}
    func parse(_ text: String) throws -> Order { throw OutOfStock() }
    func fetch(_ completion: @escaping @Sendable (Result<Order, any Error>) -> Void) {}
    func request(_ completion: @escaping @Sendable (Data?, (any Error)?) -> Void) {}
    func visit(errorHandler: (Int, any Error) -> Bool) {}
    func observe(onError: (any Error) -> Void) {}
    func enumerate(_ body: (Data?, Bool) -> Void) {}
    func upload(completion: @escaping @Sendable ((any Error)?) -> Void) {}
}

nonisolated struct Silence { let error: (String) -> Void }

nonisolated struct Button {
    var isEnabled = false
    func dimmed() -> Button { self }
    func addAction(_ action: (Button) -> Void) {}
}

nonisolated struct Feedback: Sendable {
    enum Kind { case error }
    func generate(_ kind: Kind) {}
}

nonisolated struct Logger: Sendable {
    func debug(_ message: String) {}
    func info(_ message: String) {}
    func error(_ message: String) {}
    func log(level: Level, _ message: String) {}
    enum Level { case debug, error }
}

nonisolated let store = Store()
nonisolated let logger = Logger()

nonisolated func animate(completion: (Bool) -> Void) {}
nonisolated func showAlert(_ message: String) {}
nonisolated func use(_ order: Order?) {}
nonisolated func use(_ orders: [Order]) {}
nonisolated func use(_ publisher: Publisher<[Order], Never>) {}

/// The parts of a publisher that the corpus needs.
nonisolated struct Publisher<Output, Failure: Error> {
    enum Completion { case finished, failure(Failure) }
    func sink(receiveCompletion: (Completion) -> Void, receiveValue: (Output) -> Void) {}
    func replaceError(with value: Output) -> Publisher<Output, Never> { Publisher<Output, Never>() }
    func `catch`(_ handler: (Failure) -> Publisher<Output, Never>) -> Publisher<Output, Never> {
        handler(0 as! Failure)
    }
    func recover(_ handler: (Failure) -> Output) -> Publisher<Output, Never> {
        replaceError(with: handler(0 as! Failure))
    }
    func handleEvents(receiveCompletion: (Completion) -> Void) -> Self { self }
}
