import CloudModel

extension SubscriptionIndex {
    /// The slot of a field, held until `releaseSlot`; nil when there are too many, and then nothing is held.
    ///
    /// A field has its slot for as long as an instruction or a shape looks at it: whoever stores one takes it once more.
    mutating func takeSlot(of field: FilterField) -> UInt16? {
        switch field {
        case .system(let field): return UInt16(field.rawValue - 1)
        case .searchableTexts: return UInt16(EventSlots.searchableSlot)
        case .field(let name):
            let number = fields.intern(OperandName.bytes(0, name.rawValue))
            let slot = Int(number) - 1 + EventSlots.firstFieldSlot
            guard slot < slotsMax else {
                fields.release(number)
                return nil
            }
            while uses.count <= slot { uses.append(0) }
            return UInt16(slot)
        }
    }

    /// Takes a slot once more.
    func retainSlot(_ slot: Int) {
        if slot >= EventSlots.firstFieldSlot { fields.retain(Self.field(of: slot)) }
    }

    /// Gives a slot back; with the last who looks at it, it is free for another field.
    mutating func releaseSlot(_ slot: Int) {
        guard slot >= EventSlots.firstFieldSlot else { return }
        let field = Self.field(of: slot)
        guard fields.references(field) == 1 else { return fields.release(field) }
        uses[slot] = 0
        changedNames[slot] = nil
        fields.release(field)
    }

    private static func field(of slot: Int) -> UInt32 { UInt32(slot - EventSlots.firstFieldSlot + 1) }

    /// A row of numbers, which is sorted.
    @inline(__always) func set(_ offset: UInt32) -> UnsafeBufferPointer<UInt32> {
        let row = sets.base + Int(offset)
        return UnsafeBufferPointer(start: row + 1, count: Int(row[0]))
    }
}
