import CloudModel

/// A record taken apart for programs: each field that some subscription looks at in its slot, with the numbers of its
/// values. All memory is used again for the next record.
struct EventSlots: ~Copyable {
    enum Kind: UInt8 { case other, integer, double, text, list, reference, place }

    struct Slot: BitwiseCopyable {
        /// The slot is filled when this is the event's.
        var epoch: UInt32 = 0
        var kind = Kind.other
        /// The integer, the bits of the double or of the latitude.
        var bits: UInt64 = 0
        /// The bits of the longitude.
        var more: UInt64 = 0
        /// The words of a text, in `members`.
        var tokens = Run()
    }

    struct Text: BitwiseCopyable {
        /// The position in `bytes`; 0 while the text is not there, as each text is preceded by its kind.
        var start = 0
        var count = 0
    }

    /// Numbers in `members`, ascending, each once.
    struct Run: BitwiseCopyable {
        var start = 0
        var count = 0
    }

    /// Lists and texts of more numbers are searched by halves.
    private static let linearMax = 16

    private(set) var epoch: UInt32 = 0
    private(set) var slots = Arena<Slot>()
    /// The slots that the event fills.
    private(set) var filled = Arena<UInt32>()
    /// For each slot the number of its value in each variant.
    private(set) var ids = Arena<UInt32>()
    /// For each slot its text in each of the four foldings.
    var texts = Arena<Text>()
    /// For each slot the numbers of its list's members in each variant.
    private(set) var runs = Arena<Run>()
    var bytes = Arena<UInt8>()
    /// The numbers of lists' members and of words.
    private(set) var members = Arena<UInt32>()

    var memory: Int {
        slots.bytes + filled.bytes + ids.bytes + texts.bytes + runs.bytes + bytes.bytes + members.bytes
    }

    private mutating func makeRoom(for count: Int) {
        while slots.count < count {
            slots.append(Slot())
            _ = ids.append(0, times: Variant.count)
            _ = texts.append(Text(), times: 4)
            _ = runs.append(Run(), times: Variant.count)
        }
    }

    /// Returns true if the event has a field in the slot, which may be one that came after the event.
    @inline(__always) func isFilled(_ slot: Int) -> Bool { slots.base[slot].epoch == epoch }

    /// Takes a record in place of the one before.
    mutating func load(_ record: Record, _ vocabulary: borrowing Vocabulary) {
        nextEpoch()
        makeRoom(for: vocabulary.slots.count)
        bytes.removeAll()
        members.removeAll()
        filled.removeAll()
        for entry in record.fields.entries {
            bytes.append(0)
            let start = bytes.count - 1
            append(entry.name.rawValue)
            guard let slot = vocabulary.slots.slot(ofField: bytes.from(start)), slot < slots.count else { continue }
            fill(slot, entry.value, record, vocabulary)
        }
        for field in SystemField.allCases where !vocabulary.slots[FieldSlots.slot(of: field)].isEmpty {
            guard let value = record.value(of: .system(field)) else { continue }
            fill(FieldSlots.slot(of: field), value, record, vocabulary)
        }
        if vocabulary.slots[FieldSlots.searchable].contains(.words) {
            slots[FieldSlots.searchable] = Slot(epoch: epoch)
            filled.append(UInt32(FieldSlots.searchable))
            addTokens(FieldSlots.searchable, record.fields.entries.flatMap(\.value.texts), vocabulary)
        }
    }

    private mutating func nextEpoch() {
        epoch &+= 1
        guard epoch == 0 else { return }
        for slot in 0..<slots.count { slots.base[slot].epoch = 0 }
        epoch = 1
    }

    private mutating func fill(
        _ slot: Int, _ value: FieldValue, _ record: Record, _ vocabulary: borrowing Vocabulary
    ) {
        var made = Slot(epoch: epoch)
        let target = slot * Variant.count
        let use = vocabulary.slots[slot]
        for variant in 0..<Variant.count { ids[target + variant] = 0 }
        switch value {
        case .int64(let number):
            made.kind = .integer
            made.bits = UInt64(bitPattern: number)
        case .timestamp(let time):
            made.kind = .integer
            made.bits = UInt64(bitPattern: time.milliseconds)
        case .double(let number):
            made.kind = .double
            made.bits = number.bitPattern
        case .string: made.kind = .text
        case .reference: made.kind = .reference
        case .location(let location):
            made.kind = .place
            made.bits = location.latitude.bitPattern
            made.more = location.longitude.bitPattern
        case .list(let list, _):
            made.kind = .list
            addMembers(list, slot, record, use, vocabulary)
        case .bytes, .asset, .encrypted: break
        }
        slots[slot] = made
        filled.append(UInt32(slot))
        if made.kind == .text, case .string(let string) = value { addText(slot, string) }
        if made.kind != .list, use.hasNumbers {
            addNumbers(value, record, use, vocabulary) { $0.ids.base[target + $1] = $2 }
        }
        if use.contains(.words) { addTokens(slot, value.texts, vocabulary) }
    }

    /// The numbers of a list's members, of each variant in use: sorted, so that a long list with many tests is walked
    /// once.
    private mutating func addMembers(
        _ list: [FieldValue], _ slot: Int, _ record: Record, _ use: SlotUse, _ vocabulary: borrowing Vocabulary
    ) {
        for variant in 0..<Variant.count { runs[slot * Variant.count + variant] = Run() }
        guard use.hasNumbers, !list.isEmpty else { return }
        let place = members.append(0, times: Variant.count * list.count)
        for (number, member) in list.enumerated() {
            let start = bytes.count
            addNumbers(member, record, use, vocabulary) {
                $0.members.base[place + number * Variant.count + $1] = $2
            }
            bytes.truncate(to: start)
        }
        for variant in 0..<Variant.count where use.hasNumber(variant) {
            let start = members.count
            for number in list.indices {
                let id = members[place + number * Variant.count + variant]
                if id != 0 { members.append(id) }
            }
            let count = sortedOnce(from: start)
            runs[slot * Variant.count + variant] = Run(start: start, count: count)
        }
    }

    /// Sorts the numbers from a place on and leaves each once. Returns their count then.
    private mutating func sortedOnce(from start: Int) -> Int {
        let count = members.count - start
        if count < 2 { return count }
        var numbers = UnsafeMutableBufferPointer(start: members.base + start, count: count)
        if count <= Self.linearMax {
            for place in 1..<count {
                let number = numbers[place]
                var hole = place
                while hole > 0, numbers[hole - 1] > number {
                    numbers[hole] = numbers[hole - 1]
                    hole -= 1
                }
                numbers[hole] = number
            }
        } else {
            numbers.sort()
        }
        var kept = 1
        for place in 1..<count where numbers[place] != numbers[kept - 1] {
            numbers[kept] = numbers[place]
            kept += 1
        }
        members.truncate(to: start + kept)
        return kept
    }

    /// Returns true if a run has a number.
    @inline(__always) func holds(_ run: Run, _ id: UInt32) -> Bool {
        let numbers = members.base + run.start
        if run.count <= Self.linearMax {
            for place in 0..<run.count where numbers[place] == id { return true }
            return false
        }
        return UnsafeBufferPointer(start: numbers, count: run.count).holdsSorted(id)
    }

    private mutating func addTokens(_ slot: Int, _ texts: [String], _ vocabulary: borrowing Vocabulary) {
        let start = members.count
        for text in texts {
            let first = bytes.count
            // The words behind one another, each behind its kind.
            var lengths: [Int] = []
            Words.each(of: text) { word in
                bytes.append(OperandName.token)
                bytes.append(word)
                lengths.append(word.count + 1)
            }
            var place = first
            for length in lengths {
                let id = vocabulary.findOperand(UnsafeBufferPointer(start: bytes.base + place, count: length))
                if id != 0 { members.append(id) }
                place += length
            }
            bytes.truncate(to: first)
        }
        let count = sortedOnce(from: start)
        slots.base[slot].tokens = Run(start: start, count: count)
    }
}
