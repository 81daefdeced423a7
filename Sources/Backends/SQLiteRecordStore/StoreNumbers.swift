import CloudModel
import SQLite

/// The numbers of zones and types, looked up once in a closure's life.
final class StoreNumbers {
    private let connection: SQLiteConnection
    private var zones: [Zone: Int64] = [:]
    private var types: [RecordType: Int64] = [:]

    private struct Zone: Hashable {
        var database: DatabaseScope
        var id: ZoneID
    }

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// A zone's number; nil when nothing was ever saved in it.
    func zone(_ id: ZoneID, in database: DatabaseScope) throws -> Int64? {
        let key = Zone(database: database, id: id)
        if let known = zones[key] { return known }
        let found = try connection.first(
            "SELECT id FROM zones WHERE database = ? AND owner = ? AND name = ?",
            .integer(Int64(database.rawValue)), .text(id.owner.rawValue), .text(id.name.rawValue)
        ) { $0.integer(0) }
        zones[key] = found
        return found
    }

    /// A zone's number, made if it has none.
    func addZone(_ id: ZoneID, in database: DatabaseScope) throws -> Int64 {
        if let known = try zone(id, in: database) { return known }
        try connection.run(
            "INSERT INTO zones (database, owner, name) VALUES (?, ?, ?)", .integer(Int64(database.rawValue)),
            .text(id.owner.rawValue), .text(id.name.rawValue))
        zones[Zone(database: database, id: id)] = connection.lastInsertedRow
        return connection.lastInsertedRow
    }

    /// Forgets a zone that was deleted.
    func forget(_ id: ZoneID, in database: DatabaseScope) { zones[Zone(database: database, id: id)] = nil }

    /// A type's number; nil when the schema does not know it.
    func type(_ type: RecordType) throws -> Int64? {
        if let known = types[type] { return known }
        let found = try connection.first("SELECT id FROM types WHERE name = ?", .text(type.rawValue)) { $0.integer(0) }
        types[type] = found
        return found
    }
}
