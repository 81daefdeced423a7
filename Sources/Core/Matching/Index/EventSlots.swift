import CloudModel

/// A record taken apart for programs: each field that some subscription looks at in its slot, with the numbers of its
/// values. All memory is used again for the next record.
struct EventSlots: ~Copyable {
    enum Kind: UInt8 { case other, integer, double, text, list, reference, place }

    struct Slot: BitwiseCopyable {
        /// The slot is filled when this is the event's.
        var epoch: UInt32 = 0
        var kind = Kind.other
        /// Where the field stands in the record; system fields have none.
        var entry: UInt32 = 0
        /// The integer, the bits of the double or of the latitude.
        var bits: UInt64 = 0
        /// The bits of the longitude.
        var more: UInt64 = 0
        /// The members of a list, or the tokens of a text, in `members`.
        var start: UInt32 = 0
        var count: UInt32 = 0
        var tokenStart: UInt32 = 0
        var tokenCount: UInt32 = 0
    }

    struct Text: BitwiseCopyable {
        /// Into `bytes`; 0 is not there yet, as each text stands behind its kind.
        var start: UInt32 = 0
        var count: UInt32 = 0
    }

    static let usesTokens: UInt16 = 1 << 8
    static let usesField: UInt16 = 1 << 9
    static let searchableSlot = 5
    static let firstFieldSlot = 6

    private(set) var epoch: UInt32 = 0
    var slots = Arena<Slot>()
    /// For each slot the number of its value in each variant.
    var ids = Arena<UInt32>()
    /// For each slot its text in each of the four foldings.
    var texts = Arena<Text>()
    /// What subscriptions look at in each slot: a bit for each variant, words, anything.
    var uses = Arena<UInt16>()
    var bytes = Arena<UInt8>()
    /// The numbers of lists' members, `Variant.count` each, and of words, one each.
    var members = Arena<UInt32>()

    init() { for _ in 0..<Self.firstFieldSlot { addSlot() } }

    var memory: Int { slots.bytes + ids.bytes + texts.bytes + uses.bytes + bytes.bytes + members.bytes }

    mutating func addSlot() {
        slots.append(Slot())
        _ = ids.append(0, times: Variant.count)
        _ = texts.append(Text(), times: 4)
        uses.append(0)
    }

    @inline(__always) func isFilled(_ slot: Int) -> Bool { slots.base[slot].epoch == epoch }

    /// Takes a record in place of the one before.
    mutating func load(_ record: Record, _ fields: borrowing InternTable, _ names: borrowing InternTable) {
        nextEpoch()
        bytes.removeAll()
        members.removeAll()
        let entries = record.fields.entries
        for index in entries.indices {
            bytes.append(0)
            let start = bytes.count - 1
            append(entries[index].name.rawValue)
            let field = fields.find(UnsafeBufferPointer(start: bytes.base + start, count: bytes.count - start))
            if field == 0 { continue }
            let slot = Int(field) - 1 + Self.firstFieldSlot
            fill(slot, entries[index].value, UInt32(index), record, names)
        }
        for field in SystemField.allCases where uses[Int(field.rawValue) - 1] != 0 {
            guard let value = record.value(of: .system(field)) else { continue }
            fill(Int(field.rawValue) - 1, value, .max, record, names)
        }
        if uses[Self.searchableSlot] & Self.usesTokens != 0 {
            slots[Self.searchableSlot] = Slot(epoch: epoch)
            addTokens(Self.searchableSlot, entries.flatMap(\.value.texts), names)
        }
    }

    private mutating func nextEpoch() {
        epoch &+= 1
        guard epoch == 0 else { return }
        for slot in 0..<slots.count { slots.base[slot].epoch = 0 }
        epoch = 1
    }

    private mutating func fill(
        _ slot: Int, _ value: FieldValue, _ entry: UInt32, _ record: Record, _ names: borrowing InternTable
    ) {
        var filled = Slot(epoch: epoch, entry: entry)
        let target = slot * Variant.count
        let use = uses[slot]
        for variant in 0..<Variant.count { ids[target + variant] = 0 }
        switch value {
        case .int64(let number):
            filled.kind = .integer
            filled.bits = UInt64(bitPattern: number)
        case .timestamp(let time):
            filled.kind = .integer
            filled.bits = UInt64(bitPattern: time.milliseconds)
        case .double(let number):
            filled.kind = .double
            filled.bits = number.bitPattern
        case .string: filled.kind = .text
        case .reference: filled.kind = .reference
        case .location(let location):
            filled.kind = .place
            filled.bits = location.latitude.bitPattern
            filled.more = location.longitude.bitPattern
        case .list(let list, _):
            filled.kind = .list
            filled.start = UInt32(members.count)
            filled.count = UInt32(list.count)
            if use & 31 != 0 {
                for member in list {
                    let place = members.append(0, times: Variant.count)
                    addNumbers(member, record, use, names) { $0.members.base[place + $1] = $2 }
                }
            } else {
                filled.count = 0
            }
        case .bytes, .asset: break
        }
        slots[slot] = filled
        if filled.kind == .text, case .string(let string) = value { addText(slot, string) }
        if filled.kind != .list, use & 31 != 0 {
            addNumbers(value, record, use, names) { $0.ids.base[target + $1] = $2 }
        }
        if use & Self.usesTokens != 0 { addTokens(slot, value.texts, names) }
    }

    /// Finds the numbers of one value in the variants that are looked at.
    @inline(__always)
    private mutating func addNumbers(
        _ value: FieldValue, _ record: Record, _ use: UInt16, _ names: borrowing InternTable,
        _ set: (inout EventSlots, Int, UInt32) -> Void
    ) {
        switch value {
        case .string(let string):
            let start = bytes.count
            bytes.append(OperandName.text)
            append(string)
            let count = bytes.count - start
            let isASCII = isASCII(start + 1, count - 1)
            for variant in 0..<4 where use >> UInt16(variant) & 1 == 1 {
                let options = Variant(rawValue: UInt8(variant))!.options
                var place = start
                var length = count
                if isASCII {
                    if options.contains(.caseInsensitive) { place = lowercased(start, count) }
                } else if !options.isEmpty {
                    place = bytes.count
                    bytes.append(OperandName.text)
                    append(options.folded(string))
                    length = bytes.count - place
                }
                set(&self, variant, names.find(UnsafeBufferPointer(start: bytes.base + place, count: length)))
            }
        case .int64, .timestamp, .double, .location:
            // What equals an integer is filed as one, whatever its type.
            let start = bytes.count
            guard appendName(value) else { return }
            set(&self, 0, names.find(UnsafeBufferPointer(start: bytes.base + start, count: bytes.count - start)))
        case .reference(let reference):
            let zone = reference.zone ?? record.zone
            if use & 1 == 1, let name = OperandName.of(.reference(reference.within(zone)), []) {
                set(&self, 0, name.bytes.withUnsafeBufferPointer { names.find($0) })
            }
            if use >> 4 & 1 == 1, zone == record.zone {
                let start = bytes.count
                bytes.append(OperandName.localReference)
                append(reference.recordName.rawValue)
                set(&self, 4, names.find(UnsafeBufferPointer(start: bytes.base + start, count: bytes.count - start)))
            }
        case .bytes, .asset, .list: break
        }
    }

    /// The name of a number or a place behind what is in `bytes`; whether it has one.
    private mutating func appendName(_ value: FieldValue) -> Bool {
        switch value {
        case .int64(let number): append(OperandName.integer, UInt64(bitPattern: number))
        case .timestamp(let time): append(OperandName.integer, UInt64(bitPattern: time.milliseconds))
        case .double(let number):
            if number.isNaN { return false }
            if let whole = Number.whole(number) {
                append(OperandName.integer, UInt64(bitPattern: whole))
            } else {
                append(OperandName.double, number.bitPattern)
            }
        default:
            guard let name = OperandName.of(value, []) else { return false }
            name.bytes.withUnsafeBufferPointer { bytes.append($0) }
        }
        return true
    }

    private mutating func append(_ kind: UInt8, _ bits: UInt64) {
        bytes.append(kind)
        withUnsafeBytes(of: bits) { bytes.append($0.assumingMemoryBound(to: UInt8.self)) }
    }

    private mutating func addTokens(_ slot: Int, _ found: [String], _ names: borrowing InternTable) {
        slots.base[slot].tokenStart = UInt32(members.count)
        for word in Set(found.flatMap(Words.of)) {
            let id = ([OperandName.token] + word.utf8).withUnsafeBufferPointer { names.find($0) }
            if id != 0 { members.append(id) }
        }
        slots.base[slot].tokenCount = UInt32(members.count) - slots[slot].tokenStart
    }
}

extension Reference {
    fileprivate func within(_ zone: ZoneID) -> Reference {
        Reference(recordName: recordName, zone: zone, action: action)
    }
}
