import CloudMessages
package import CloudModel
import ProtocolBuffers
package import RecordStore

extension RecordService {
    /// Everything that the environment's schema says.
    package func schema() async throws -> Schema { try await store.read { try $0.schema() } }

    /// Applies what promoting another environment's schema adds, in one commit; records that exist are found by new
    /// indexes at once.
    /// - Throws: when the difference has conflicts.
    package func apply(_ difference: SchemaDifference) async throws {
        if let conflict = difference.conflicts.first { throw CloudError.badRequest(conflict) }
        try await store.write(in: .whole) { try Self.apply(difference, $0) }
    }

    private static func apply(_ difference: SchemaDifference, _ transaction: any StoreTransaction) throws {
        var reindexed: Set<RecordType> = []
        for change in difference.changes {
            switch change {
            case .addType(let type): try transaction.define(type)
            case .addField(let type, let name, let field):
                try transaction.define(name, as: field.type, in: type)
                try transaction.setIndexes(field.indexes, of: .field(name), in: type)
            case .setIndexes(let type, let name, let indexes, _):
                try transaction.setIndexes(indexes, of: .field(name), in: type)
                reindexed.insert(type)
            case .setSystemIndexes(let type, let field, let indexes, _):
                try transaction.setIndexes(indexes, of: .system(field), in: type)
                reindexed.insert(type)
            case .setPermissions(let type, let permissions, _):
                try transaction.setPermissions(permissions, of: type)
            case .addCondition(let shape): try transaction.addCondition(shape)
            }
        }
        for type in reindexed { try index(type, transaction) }
    }

    /// The outcome of a reset of the schema.
    package struct SchemaReset: Sendable {
        /// The types that are gone, or kept as something uses them.
        package var types: TypeRemoval
        /// The additions that production's schema made.
        package var difference: SchemaDifference
    }

    /// A reset that is only looked at: its transaction fails on purpose.
    private struct Rehearsal: Error {
        var reset: SchemaReset
    }

    /// Removes the types of development that no record has, and adds what production has: as CloudKit resets a
    /// development environment, but for its records, which stay.
    /// - Parameters:
    ///   - production: production's schema; empty where there is none.
    ///   - isApplied: whether it is done; false only says what it would do.
    /// - Throws: `BAD_REQUEST` in production, and where a type that stays contradicts production's.
    package func resetSchema(to production: Schema, isApplied: Bool = true) async throws -> SchemaReset {
        guard scope.environment == .development else {
            throw CloudError.badRequest("development's schema alone can be reset")
        }
        do {
            return try await store.write(in: .whole) { transaction in
                let types = try transaction.removeUnusedTypes()
                let difference = SchemaDifference(promoting: production, over: try transaction.schema())
                if let conflict = difference.conflicts.first { throw CloudError.badRequest(conflict) }
                try Self.apply(difference, transaction)
                let reset = SchemaReset(types: types, difference: difference)
                guard isApplied else { throw Rehearsal(reset: reset) }
                return reset
            }
        } catch let rehearsal as Rehearsal {
            return rehearsal.reset
        }
    }

    /// Grants a right to a role, or takes it back.
    /// - Throws: `NOT_FOUND` for a type that the schema does not know.
    package func setRight(
        _ right: TypePermissions.Right, of role: TypePermissions.Role, on type: RecordType, to isGranted: Bool
    ) async throws {
        try await store.write(in: .whole) { transaction in
            guard try transaction.fieldTypes(of: type) != nil else {
                throw CloudError(.notFound, "the schema does not know the record type \(type)")
            }
            var permissions = try transaction.permissions(of: type)
            permissions[role, right] = isGranted
            try transaction.setPermissions(permissions, of: type)
        }
    }

    /// Rebuilds the index rows of all records of a type.
    private static func index(_ type: RecordType, _ transaction: any StoreTransaction) throws {
        guard let indexes = try transaction.indexes(of: type) else { return }
        let indexing = RecordIndexing(indexes: indexes)
        for database in [DatabaseScope.public, .private] {
            let zones = try transaction.zones(in: database)
            guard !zones.isEmpty else { continue }
            var after: Int64?
            repeat {
                var found: [ScannedRecord] = []
                let scan = IndexScan(
                    type: type, database: database, zones: zones, order: .number(isAscending: true), after: after)
                try transaction.scan(scan) { record in
                    found.append(record)
                    return found.count < 1000
                }
                for item in found {
                    let record = try item.record.record()
                    var stored = item.record
                    stored.parent = record.parent
                    try transaction.save(stored, index: indexing.index(of: record))
                }
                after = found.last?.number
            } while after != nil
        }
    }
}
