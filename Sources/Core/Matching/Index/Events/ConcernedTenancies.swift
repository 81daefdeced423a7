import CloudModel

/// The tenancies that the record at hand concerns.
struct ConcernedTenancies: ~Copyable {
    private var numbers = Arena<UInt32>()
    /// The name that is looked up.
    private var bytes = Arena<UInt8>()

    /// The number of tenancies.
    var count: Int { numbers.count }
    /// Bytes that they take.
    var memory: Int { numbers.bytes + bytes.bytes }

    @inline(__always) subscript(place: Int) -> UInt32 { numbers[place] }

    /// Finds the tenancies that a change may concern: any zone or its own, any type or its own, of each owner or
    /// participant.
    mutating func find(_ zone: ZoneID, _ type: RecordType?, _ change: Change, _ index: borrowing SubscriptionIndex) {
        numbers.removeAll()
        let zoneNumber = number(OperandName.zone, zone.name.rawValue, index.vocabulary)
        let typeNumber = type.map { number(OperandName.type, $0.rawValue, index.vocabulary) } ?? 0
        var key = TenancyKey(database: change.database.rawValue, owner: 0, zone: zoneNumber, type: typeNumber)
        switch change.database {
        case .public: add(key, index.tenancies)
        case .private:
            key.owner = number(OperandName.owner, zone.owner.rawValue, index.vocabulary)
            if key.owner != 0 { add(key, index.tenancies) }
        case .shared:
            for user in change.participants {
                key.owner = number(OperandName.owner, user.rawValue, index.vocabulary)
                if key.owner != 0 { add(key, index.tenancies) }
            }
        }
    }

    /// The number of a name; 0 when no subscription has it.
    mutating func number(_ kind: UInt8, _ text: String, _ vocabulary: borrowing Vocabulary) -> UInt32 {
        bytes.removeAll()
        bytes.append(kind)
        bytes.append(utf8: text)
        return vocabulary.findOperand(bytes.from(0))
    }

    /// Adds those of an owner: any zone or that one, any type or that one.
    private mutating func add(_ whole: TenancyKey, _ tenancies: borrowing Tenancies) {
        for part in 0..<4 where (part & 2 == 0 || whole.zone != 0) && (part & 1 == 0 || whole.type != 0) {
            var key = whole
            if part & 2 == 0 { key.zone = 0 }
            if part & 1 == 0 { key.type = 0 }
            if let tenancy = tenancies.number(of: key) { numbers.append(tenancy) }
        }
    }
}
