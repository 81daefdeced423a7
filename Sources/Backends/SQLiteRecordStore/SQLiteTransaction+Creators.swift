import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction: CreatorTransaction {
    func typeAndCreator(of id: RecordID) throws -> (type: RecordType, creator: UserRecordName?)? {
        guard let zone = try zone(id) else { return nil }
        return try connection.first(
            """
            SELECT t.name, c.creator FROM records r JOIN types t ON t.id = r.type
            LEFT JOIN creators c ON c.record = r.id WHERE r.zone = ? AND r.name = ?
            """, .integer(zone), .text(id.name.rawValue)
        ) { (RecordType(trusted: $0.text(0)), $0.optionalText(1).map { UserRecordName(trusted: $0) }) }
    }

    func cascadingReferrers(of target: RecordID, createdBy creator: UserRecordName) throws -> [RecordName] {
        guard let zone = try zone(target) else { return [] }
        return try connection.query(
            """
            SELECT r.name FROM links l JOIN records r ON r.id = l.record
            WHERE l.zone = ? AND l.target = ? AND l.kind = ? AND l.creator = ? ORDER BY r.name
            """, .integer(zone), .text(target.name.rawValue), .integer(RecordLink.deleteSelf.rawValue),
            .text(creator.rawValue)
        ) { RecordName(trusted: $0.text(0)) }
    }

    func cascadingReferrerCount(
        of target: RecordID, except record: RecordName, createdBy creator: UserRecordName
    ) throws -> Int {
        guard let zone = try zone(target) else { return 0 }
        return try connection.first(
            """
            SELECT count(*) FROM links l JOIN records r ON r.id = l.record
            WHERE l.zone = ? AND l.target = ? AND l.kind = ? AND l.creator = ? AND r.name <> ?
            """, .integer(zone), .text(target.name.rawValue), .integer(RecordLink.deleteSelf.rawValue),
            .text(creator.rawValue), .text(record.rawValue)
        ) { Int($0.integer(0)) } ?? 0
    }

    func levels(
        below id: RecordID, createdBy creator: UserRecordName, levelsMax: Int, recordsMax: Int
    ) throws -> (levels: Int, records: Int) {
        guard let zone = try zone(id) else { return (0, 0) }
        return try connection.first(
            """
            WITH RECURSIVE below (name, level) AS (
                SELECT r.name, 1 FROM links l CROSS JOIN records r ON r.id = l.record
                WHERE l.zone = ?1 AND l.target = ?2 AND l.kind = ?3 AND l.creator = ?4
                UNION ALL
                SELECT r.name, b.level + 1 FROM below b
                CROSS JOIN links l ON l.zone = ?1 AND l.target = b.name AND l.kind = ?3 AND l.creator = ?4
                CROSS JOIN records r ON r.id = l.record
                WHERE b.level < ?5
                LIMIT ?6)
            SELECT coalesce(max(level), 0), count(*) FROM below
            """, .integer(zone), .text(id.name.rawValue), .integer(RecordLink.parent.rawValue), .text(creator.rawValue),
            .integer(Int64(levelsMax)), .integer(Int64(recordsMax))
        ) { (Int($0.integer(0)), Int($0.integer(1))) } ?? (0, 0)
    }

    func child(
        of id: RecordID, createdBy creator: UserRecordName, where isWanted: (RecordName, RecordType) throws -> Bool
    ) throws -> RecordName? {
        guard let zone = try zone(id) else { return nil }
        let statement = try connection.statement(
            """
            SELECT r.name, t.name FROM links l CROSS JOIN records r ON r.id = l.record
            CROSS JOIN types t ON t.id = r.type WHERE l.zone = ? AND l.target = ? AND l.kind = ? AND l.creator = ?
            """)
        try statement.bind([
            .integer(zone), .text(id.name.rawValue), .integer(RecordLink.parent.rawValue), .text(creator.rawValue),
        ])
        defer { statement.reset() }
        while try statement.step() {
            let name = RecordName(trusted: statement.text(0))
            if try isWanted(name, RecordType(trusted: statement.text(1))) { return name }
        }
        return nil
    }

    func hasCascadingReferrers(_ target: RecordID) throws -> Bool {
        guard let zone = try zone(target) else { return false }
        return try connection.first(
            "SELECT 1 FROM cascades WHERE zone = ? AND target = ? LIMIT 1", .integer(zone), .text(target.name.rawValue)
        ) { _ in true } ?? false
    }

    func hasDueDeletions() throws -> Bool {
        try connection.first("SELECT 1 FROM due_deletions LIMIT 1") { _ in true } ?? false
    }

    func setCreator(_ creator: UserRecordName, of id: RecordID) throws {
        guard let zone = try zone(id) else { return }
        try connection.run(
            """
            INSERT INTO creators (record, creator) SELECT id, ? FROM records WHERE zone = ? AND name = ?
            ON CONFLICT DO NOTHING
            """, .text(creator.rawValue), .integer(zone), .text(id.name.rawValue))
    }

    func setLinks(
        _ kind: RecordLink, of id: RecordID, createdBy creator: UserRecordName, to targets: Set<RecordName>
    ) throws {
        guard let zone = try zone(id) else { return }
        let found = try connection.first(
            "SELECT id FROM records WHERE zone = ? AND name = ?", .integer(zone), .text(id.name.rawValue)
        ) { $0.integer(0) }
        guard let record = found else { return }
        try connection.run(
            "DELETE FROM links WHERE record = ? AND kind = ?", .integer(record), .integer(kind.rawValue))
        for target in targets {
            try connection.run(
                "INSERT INTO links (zone, target, kind, creator, record) VALUES (?, ?, ?, ?, ?)", .integer(zone),
                .text(target.rawValue), .integer(kind.rawValue), .text(creator.rawValue), .integer(record))
        }
    }

    func addDueDeletions(with target: RecordID, at sequence: CommitSequence, by origin: Origin) throws {
        guard let zone = try zone(target) else { return }
        try connection.run(
            "INSERT INTO due_deletions (sequence, zone, target, user, device, epoch) VALUES (?, ?, ?, ?, ?, ?)",
            .integer(sequence.rawValue), .integer(zone), .text(target.name.rawValue), .text(origin.user.rawValue),
            .optional(origin.device?.rawValue), .integer(origin.epoch?.rawValue ?? 0))
    }

    func takeDueDeletions(limit: Int, bytesMax: Int) throws -> DueDeletions? {
        let due = try connection.first(
            """
            SELECT sequence, zone, target, user, device, epoch, progress FROM due_deletions ORDER BY sequence LIMIT 1
            """
        ) { row in
            let epoch = row.integer(5)
            let origin = Origin(
                user: UserRecordName(trusted: row.text(3)), device: row.optionalText(4).map { DeviceID(trusted: $0) },
                epoch: epoch == 0 ? nil : DeviceEpoch(epoch))
            return (
                sequence: row.integer(0), zone: row.integer(1), target: row.text(2), origin: origin,
                progress: row.integer(6)
            )
        }
        guard let due else { return nil }
        let (taken, end) = try referrers(of: due.target, in: due.zone, after: due.progress, limit, bytesMax) {
            // One that was saved since is its creator's to keep: the target may be there again.
            $0 < due.sequence
        }
        if let end {
            try connection.run(
                "UPDATE due_deletions SET progress = ? WHERE sequence = ?", .integer(end), .integer(due.sequence))
        } else {
            try connection.run("DELETE FROM due_deletions WHERE sequence = ?", .integer(due.sequence))
        }
        return DueDeletions(origin: due.origin, referrers: taken)
    }

    /// The referrers of a record after one, by number, that were last saved at a sequence that is taken.
    /// - Returns: also the number of the last one that was looked at; nil if there are no more.
    private func referrers(
        of target: String, in zone: Int64, after progress: Int64, _ limit: Int, _ bytesMax: Int,
        where takes: (_ sequence: Int64) -> Bool
    ) throws -> (taken: [RecordName], end: Int64?) {
        let statement = try connection.statement(
            """
            SELECT r.name, r.id, r.sequence, length(r.body) FROM cascades c CROSS JOIN records r ON r.id = c.record
            WHERE c.zone = ? AND c.target = ? AND c.record > ? ORDER BY c.record LIMIT ?
            """)
        try statement.bind([.integer(zone), .text(target), .integer(progress), .integer(Int64(limit))])
        defer { statement.reset() }
        var taken: [RecordName] = []
        var (end, bytes, seen) = (progress, 0, 0)
        while bytes < bytesMax, try statement.step() {
            seen += 1
            end = statement.integer(1)
            guard takes(statement.integer(2)) else { continue }
            taken.append(RecordName(trusted: statement.text(0)))
            bytes += Int(statement.integer(3))
        }
        return (taken, seen < limit && bytes < bytesMax ? nil : end)
    }
}
