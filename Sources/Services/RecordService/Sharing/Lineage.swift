import CloudModel
import RecordStore

/// The records above records of one zone: each link is read once for a request, and no walk goes further than
/// `Limits.parentDepthMax`. Bodies are not read.
final class Lineage {
    private let reader: any ShareReader & BatchReader
    private let database: DatabaseScope
    private let zone: ZoneID
    private var links: [RecordName: ParentLink] = [:]

    init(_ reader: any ShareReader & BatchReader, _ database: DatabaseScope, _ zone: ZoneID) {
        self.reader = reader
        self.database = database
        self.zone = zone
    }

    /// Reads the links of many records, and of those above them, in one question.
    func readAhead(_ names: [RecordName], levelsMax: Int) throws {
        let ids = names.filter { links[$0] == nil }.map { RecordID(database: database, zone: zone, name: $0) }
        for (id, link) in try reader.lineage(of: ids, levelsMax: levelsMax) { links[id.name] = link }
    }

    /// The link from a record to its parent.
    func link(of name: RecordName) throws -> ParentLink {
        if let known = links[name] { return known }
        let link = try reader.parentLink(of: RecordID(database: database, zone: zone, name: name))
        links[name] = link
        return link
    }

    /// Remembers what a save or deletion made of a record.
    func note(_ link: ParentLink, of name: RecordName) { links[name] = link }

    /// A record and those above it, as far as they are there: at most `parentDepthMax` above it.
    func line(from name: RecordName) throws -> [RecordName] {
        var line = [name]
        while line.count <= Limits.parentDepthMax, case .below(let parent) = try link(of: line.last!), parent != name {
            line.append(parent)
        }
        return line
    }

    /// The same for a record as it is, or was; none for none.
    func line(of record: Record?) throws -> [RecordName] {
        guard let record else { return [] }
        guard let parent = record.parent, parent != record.name else { return [record.name] }
        return [record.name] + (try line(from: parent).prefix(Limits.parentDepthMax))
    }
}
