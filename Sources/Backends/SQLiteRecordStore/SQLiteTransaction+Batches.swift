import CloudModel
import RecordStore
import SQLite

/// Many things in one question. SQLite runs in this process, so that one compiled statement for each costs less than a
/// list, whose text, and with it the compiled statement, changes with its length.
extension SQLiteTransaction {
    func records(_ ids: [RecordID], visit: (StoredRecord) throws -> Void) throws {
        // Most ask for one, which needs no set.
        guard ids.count > 1 else {
            if let id = ids.first, let found = try record(id) { try visit(found) }
            return
        }
        for id in Set(ids) {
            if let found = try record(id) { try visit(found) }
        }
    }

    func bodyBytes(_ ids: [RecordID]) throws -> Int {
        var bytes = 0
        for id in Set(ids) {
            guard let zone = try zone(id) else { continue }
            // SQLite takes the length from the row's header.
            bytes +=
                try connection.first(
                    "SELECT length(body) FROM records WHERE zone = ? AND name = ?", .integer(zone),
                    .text(id.name.rawValue)
                ) { Int($0.integer(0)) } ?? 0
        }
        return bytes
    }

    func words(of id: RecordID) throws -> [String] {
        guard let zone = try zone(id) else { return [] }
        let indexed = try connection.first(
            "SELECT indexed FROM records WHERE zone = ? AND name = ?", .integer(zone), .text(id.name.rawValue)
        ) { $0.blob(0) }
        return indexed.map { StoredIndex.decoded($0).words.split(separator: " ").map(String.init) } ?? []
    }

    func lineage(of ids: [RecordID], levelsMax: Int) throws -> [RecordID: ParentLink] {
        var links: [RecordID: ParentLink] = [:]
        for id in ids {
            var id = id
            for _ in 0...levelsMax {
                let link = try links[id] ?? parentLink(of: id)
                links[id] = link
                guard case .below(let parent) = link, parent != id.name else { break }
                id.name = parent
            }
        }
        return links
    }

    func assets(_ checksums: [String]) throws -> [String: StoredAsset] {
        var found: [String: StoredAsset] = [:]
        for checksum in Set(checksums) { found[checksum] = try asset(checksum) }
        return found
    }

    func devices(_ ids: [DeviceID]) throws -> [DeviceID: StoredDevice] {
        var found: [DeviceID: StoredDevice] = [:]
        for id in Set(ids) { found[id] = try device(id) }
        return found
    }
}
