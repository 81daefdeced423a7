/// Places of things by their hash: an open table of numbers alone. Whether a thing is the one that is looked for, its
/// owner says.
struct PlaceTable {
    private struct Slot {
        var hash: UInt32 = 0
        var place = Self.empty
        static let empty = UInt32.max
    }

    private var slots = [Slot](repeating: Slot(), count: 16)
    private var count = 0

    /// The part of a hash that is kept.
    private static func short(_ hash: Int) -> UInt32 { UInt32(truncatingIfNeeded: hash) }

    /// The place of the thing that is meant; nil when it is not there.
    func place(_ hash: Int, where isMeant: (Int) -> Bool) -> Int? {
        self.slot(hash, where: isMeant).map { Int(slots[$0].place) }
    }

    /// Adds a thing that is not there.
    mutating func insert(_ place: Int, _ hash: Int) {
        if (count + 1) * 4 > slots.count * 3 { grow() }
        put(Slot(hash: Self.short(hash), place: UInt32(place)))
        count += 1
    }

    /// Gives a thing that is there another place.
    mutating func move(_ hash: Int, from place: Int, to other: Int) {
        if let slot = self.slot(hash, where: { $0 == place }) { slots[slot].place = UInt32(other) }
    }

    /// Removes a thing that is there.
    mutating func remove(_ place: Int, _ hash: Int) {
        guard var hole = self.slot(hash, where: { $0 == place }) else { return }
        count -= 1
        let mask = slots.count - 1
        slots[hole] = Slot()
        // Those behind it that would not be found any more move into the hole.
        var next = (hole + 1) & mask
        while slots[next].place != Slot.empty {
            let home = Int(slots[next].hash) & mask
            if (next - home) & mask >= (next - hole) & mask {
                slots.swapAt(hole, next)
                hole = next
            }
            next = (next + 1) & mask
        }
    }

    /// Makes room for so many.
    mutating func reserve(_ count: Int) {
        while count * 4 > slots.count * 3 { grow() }
    }

    private func slot(_ hash: Int, where isMeant: (Int) -> Bool) -> Int? {
        let (short, mask) = (Self.short(hash), slots.count - 1)
        var next = Int(short) & mask
        while slots[next].place != Slot.empty {
            if slots[next].hash == short, isMeant(Int(slots[next].place)) { return next }
            next = (next + 1) & mask
        }
        return nil
    }

    private mutating func put(_ slot: Slot) {
        let mask = slots.count - 1
        var next = Int(slot.hash) & mask
        while slots[next].place != Slot.empty { next = (next + 1) & mask }
        slots[next] = slot
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: old.count * 2)
        for slot in old where slot.place != Slot.empty { put(slot) }
    }
}
