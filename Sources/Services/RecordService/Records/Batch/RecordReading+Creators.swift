import CloudModel
import RecordStore

/// The public database, where the rights on a record are those of its type and creator, and what others hang onto a
/// record does not bind its owner.
extension RecordReading {
    private var isPublic: Bool { zone.setting.database == .public }

    /// Leaves out a record that the caller may neither read nor write.
    func hide(_ name: RecordName, _ facts: inout RecordFacts) throws {
        if let record = facts.existing?.record, isPublic {
            let permissions = try zone.schema.permissions(of: record.type)
            let rights: [TypePermissions.Right] = [.read, .write]
            guard !rights.contains(where: { zone.setting.publicAccess.may($0, record, permissions) }) else { return }
            (facts.existing, facts.isTaken) = (nil, true)
        } else if facts.existing == nil, zone.setting.access != nil {
            facts.isTaken = try zone.records.line(from: name) != nil
        }
    }

    /// Returns true if the caller has a right on a record by its type and creator; in other databases shares decide.
    func allows(_ right: TypePermissions.Right, on name: RecordName) throws -> Bool {
        guard isPublic else { return true }
        guard let made = try zone.transaction.typeAndCreator(of: zone.setting.id(name)) else { return false }
        let permissions = try zone.schema.permissions(of: made.type)
        guard !permissions.allow(right, to: .icloud) else { return true }
        guard permissions.allow(right, to: .creator) else { return false }
        // Of a record that an older version saved, the body knows its creator.
        let creator = try made.creator ?? zone.records.stored(name)?.record.created.user
        return creator == zone.setting.origin.user
    }

    /// Returns true if the caller may read a user's record, which is in the public database.
    func mayRead(_ user: UserRecordName) throws -> Bool {
        guard try zone.transaction.typeAndCreator(of: RecordID(of: user)) != nil else { return false }
        let role: TypePermissions.Role = user == zone.setting.origin.user ? .creator : .icloud
        return try zone.schema.permissions(of: .users).allow(.read, to: role)
    }

    /// The number of other records with a DELETE_SELF reference to a record that count for the saved one.
    func referrerCount(of target: RecordName, _ facts: RecordFacts) throws -> Int {
        let id = zone.setting.id(target)
        guard isPublic else { return try zone.transaction.cascadingReferrerCount(of: id, except: facts.name) }
        return try zone.transaction.cascadingReferrerCount(of: id, except: facts.name, createdBy: creator(facts))
    }

    /// The levels of records below the saved one that count for it.
    func levels(below facts: RecordFacts, recordsMax: Int) throws -> (levels: Int, records: Int) {
        let (id, levelsMax) = (zone.setting.id(facts.name), Limits.parentDepthMax)
        guard isPublic else {
            return try zone.transaction.levels(below: id, levelsMax: levelsMax, recordsMax: recordsMax)
        }
        return try zone.transaction.levels(
            below: id, createdBy: creator(facts), levelsMax: levelsMax, recordsMax: recordsMax)
    }

    /// The records that DELETE_SELF deletes with one in the same transaction.
    func referrers(of target: RecordName, createdBy creator: UserRecordName) throws -> [RecordName] {
        let id = zone.setting.id(target)
        return try isPublic
            ? zone.transaction.cascadingReferrers(of: id, createdBy: creator)
            : zone.transaction.cascadingReferrers(of: id)
    }

    /// A record below one that is to be deleted, which is not deleted with it. In the public database it is one of the
    /// same creator that the caller may read or write: others do not bind the owner, and are not revealed.
    func child(
        of name: RecordName, madeBy creator: UserRecordName, except doomed: Set<RecordName>
    ) throws -> RecordName? {
        let id = zone.setting.id(name)
        guard isPublic else { return try zone.transaction.child(of: id) { child in !doomed.contains(child) } }
        return try zone.transaction.child(of: id, createdBy: creator) { child, type in
            guard !doomed.contains(child) else { return false }
            let permissions = try zone.schema.permissions(of: type)
            return [TypePermissions.Right.read, .write].contains { right in
                permissions.allow(right, to: .icloud)
                    || creator == zone.setting.origin.user && permissions.allow(right, to: .creator)
            }
        }
    }

    private func creator(_ facts: RecordFacts) -> UserRecordName {
        facts.existing?.record.created.user ?? zone.setting.origin.user
    }
}
