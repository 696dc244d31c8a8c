import Foundation

func optionalTries(container: KeyedDecodingContainer<Keys>, url: URL, temporaryFile: URL) async throws {
    let orders = try? await store.load()  //~ optional-try
    use(orders ?? [])
    try? await store.save(Order())  //~ optional-try
    _ = try? store.saveNow(Order())  //~ optional-try
    if let order = try? store.parse("7") {  //~ optional-try
        use(order)
    }
    use((try? store.parse("7")) ?? Order())  //~ optional-try
    let numbers = ["7"].compactMap { try? store.parse($0).number }  //~ optional-try
    print(numbers)

    // The code that receives the nil reports it.
    guard let told = try? store.parse("7") else { throw OutOfStock() }
    use(told)
    guard let logged = try? await store.load() else {
        logger.error("no orders")
        return
    }
    use(logged)
    let later = try? store.parse("7")
    guard let later else {
        showAlert("This is no order")
        return
    }
    use(later)
    if let shown = try? store.parse("7") { use(shown) } else { showAlert("This is no order") }
    if (try? store.parse("7")) == nil { showAlert("This is no order") }
    if let first = try? store.parse("7") { return use(first) }
    showAlert("This is no order")

    // A failure is one of the results, or nothing is left to do.
    try? await Task.sleep(for: .seconds(7))  //~ optional-try harmless
    try? await store.close()  //~ optional-try harmless
    try? FileManager.default.removeItem(at: temporaryFile)  //~ optional-try harmless
    let size = try? url.resourceValues(forKeys: [.fileSizeKey])  //~ optional-try harmless
    print(size as Any)
    let pattern = try? NSRegularExpression(pattern: "[0-9]+")  //~ optional-try harmless
    print(pattern as Any)
    // Neither a comment nor the place makes a loss harmless.
    defer { try? store.saveNow(Order()) }  //~ optional-try
    // The orders are fetched again in a minute, so a failure is fine here.
    try? await store.save(Order())  //~ optional-try
    do {
        try await store.save(Order())
    } catch {
        try? await store.save(Order(number: 1))  //~ optional-try
        throw error
    }
}

func attempts(result: Result<Order, any Error>) throws {
    if let order = try? store.parse("7"), order.number > 7 { return use(order) }  //~ optional-try
    do { try store.saveNow(Order()) } catch { logger.error("\(error)") }

    // The branch reads the failure.
    guard let order = try? result.get() else {
        if case .failure(let error) = result { logger.error("\(error)") }
        return
    }
    use(order)

    // After the last attempt, the function throws.
    if let order = try? store.parse("7") { return use(order) }
    if let order = try? store.parse("8") { return use(order) }
    throw OutOfStock()
}

enum Keys: CodingKey { case number }

struct Lenient: Decodable {
    var number: Int?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        number = try? container.decode(Int.self, forKey: .number)  //~ optional-try harmless
    }
}
