import GRDB

/// An order.
struct Order: Codable, Sendable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "orders"

    var id: Int64?
    var item: String
    var quantity: Int

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}
