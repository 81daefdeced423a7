import CloudModel

/// The slots at which programs and shapes read a record's fields. A field keeps its slot while it is in use; a free
/// slot goes to another field.
///
/// The first slots are those of the system fields, by their numbers, and the slot of all searchable texts.
struct FieldSlots: ~Copyable {
    /// Instructions and facets have 16 bits for a slot. Comparisons of further fields are trees at the slot of the
    /// record's name, so that no look-up ends outside of the slots.
    static let slotsMax = Int(UInt16.max) + 1
    /// The slot of the texts of all fields together.
    static let searchable = 5
    /// The slot of the first field of records' own.
    static let firstField = 6

    /// Numbers of the fields' names: the first has the slot `firstField`.
    private var fields = InternTable()
    private var uses = Arena<SlotUse>()
    /// The fields whose changes subscriptions are found by, by their slots.
    private var changedNames: [Int: FieldName] = [:]
    private var limit: Int

    /// No slots in use.
    /// - Parameter limit: the number of slots; comparisons of further fields are left to the plain walk.
    init(limit: Int) {
        self.limit = min(limit, Self.slotsMax)
        _ = uses.append([], times: Self.firstField)
    }

    func write(to writer: inout ImageWriter) {
        fields.write(to: &writer)
        uses.write(to: &writer)
        writer.write(limit)
        writer.write(changedNames.count)
        for (slot, name) in changedNames {
            writer.write(slot)
            writer.write(row: Array(name.rawValue.utf8))
        }
    }

    init(from reader: inout ImageReader) throws {
        self.init(limit: 0)
        fields = try InternTable(from: &reader)
        uses = try Arena(from: &reader)
        limit = try reader.read()
        for _ in 0..<(try reader.count(of: Int.self)) {
            let slot = try reader.read(Int.self)
            changedNames[slot] = FieldName(trusted: String(decoding: try reader.row(of: UInt8.self), as: UTF8.self))
        }
    }

    /// The number of slots, in use or free.
    var count: Int { uses.count }
    /// Returns true if no slot of a field is in use.
    var isEmpty: Bool { fields.isEmpty && changedNames.isEmpty }
    /// Bytes that the tables take.
    var bytes: Int { fields.bytes + uses.bytes }

    // MARK: Holding slots

    /// The slot of a field, held until `release`; nil when there are too many, and then nothing is held.
    mutating func take(_ field: FilterField) -> UInt16? {
        switch field {
        case .system(let field): return UInt16(Self.slot(of: field))
        case .searchableTexts: return UInt16(Self.searchable)
        case .field(let name):
            let number = fields.intern(OperandName.bytes(0, name.rawValue))
            let slot = Int(number) - 1 + Self.firstField
            guard slot < limit else {
                fields.release(number)
                return nil
            }
            while uses.count <= slot { uses.append([]) }
            return UInt16(slot)
        }
    }

    /// Holds a slot once more.
    func retain(_ slot: Int) {
        if slot >= Self.firstField { fields.retain(Self.field(of: slot)) }
    }

    /// Gives a slot back; with its last holder it is free for another field.
    mutating func release(_ slot: Int) {
        guard slot >= Self.firstField else { return }
        let field = Self.field(of: slot)
        guard fields.references(field) == 1 else { return fields.release(field) }
        uses[slot] = []
        changedNames[slot] = nil
        fields.release(field)
    }

    // MARK: Uses

    /// The ways in which a slot is looked at.
    @inline(__always) subscript(slot: Int) -> SlotUse { uses.base[slot] }

    /// Notes that a slot is looked at in one more way.
    mutating func note(_ use: SlotUse, of slot: Int) { uses[slot].formUnion(use) }

    /// Notes that subscriptions are found by the changes of a field.
    mutating func noteChange(of name: FieldName, at slot: Int) { changedNames[slot] = name }

    /// The field of a slot by whose changes subscriptions are found.
    func changedName(_ slot: Int) -> FieldName? { changedNames[slot] }

    /// The slot of a field of records' own by its bytes (`OperandName.bytes`); nil when nobody looks at it.
    @inline(__always) func slot(ofField bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let field = fields.find(bytes)
        return field == 0 ? nil : Int(field) - 1 + Self.firstField
    }

    /// The slot of a system field.
    @inline(__always) static func slot(of field: SystemField) -> Int { Int(field.rawValue) - 1 }

    private static func field(of slot: Int) -> UInt32 { UInt32(slot - firstField + 1) }
}
