import Foundation
import GRDB
import ServiceLifecycle

/// The orders, in a SQLite file.
struct OrderStore: Service {
    private let pool: DatabasePool

    /// Opens the file or creates it, and migrates its tables.
    init(path: String) throws {
        pool = try DatabasePool(path: path)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("orders") { database in
            try database.create(table: Order.databaseTableName) { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("item", .text).notNull()
                table.column("quantity", .integer).notNull()
            }
        }
        try migrator.migrate(pool)
    }

    /// Keeps the file open until the service shuts down.
    func run() async throws {
        try? await gracefulShutdown()
        try pool.close()
    }

    /// - Throws: ``OrderMissing``, or an error of the database.
    func order(_ number: Int64) async throws -> Order {
        guard let order = try await pool.read({ try Order.fetchOne($0, key: number) }) else {
            throw OrderMissing(number: number)
        }
        return order
    }

    /// - Throws: ``InvalidOrder``, or an error of the database.
    func place(item: String, quantity: Int) async throws -> Order {
        if item.isEmpty { throw InvalidOrder.noItem }
        if !(1...1_000).contains(quantity) { throw InvalidOrder.quantity(quantity) }
        return try await pool.write { database in
            var order = Order(item: item, quantity: quantity)
            try order.insert(database)
            return order
        }
    }
}

/// An order.
struct Order: Codable, Sendable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "orders"

    var id: Int64?
    var item: String
    var quantity: Int

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}
