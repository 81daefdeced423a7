import CloudModel

extension EventSlots {
    /// The text of a slot under the options, folded when it is first asked for. Nil when the slot holds no text. Good
    /// until the next call.
    mutating func text(_ slot: Int, _ variant: Int, _ record: Record) -> UnsafeBufferPointer<UInt8>? {
        guard isFilled(slot), slots[slot].kind == .text else { return nil }
        let place = slot * 4 + variant
        if texts[place].start == 0 { fold(slot, variant, record) }
        let text = texts[place]
        return UnsafeBufferPointer(start: bytes.base + text.start, count: text.count)
    }

    /// Takes the text of a slot.
    mutating func addText(_ slot: Int, _ string: String) {
        for variant in 0..<4 { texts[slot * 4 + variant] = Text() }
        bytes.append(0)
        let start = bytes.count
        append(string)
        texts[slot * 4] = Text(start: start, count: bytes.count - start)
    }

    private mutating func fold(_ slot: Int, _ variant: Int, _ record: Record) {
        let plain = texts[slot * 4]
        let options = Variant(rawValue: UInt8(variant))!.options
        var folded = plain
        if isASCII(plain.start, plain.count) {
            // Never at 0, which means no text: the kind of each text precedes it.
            if options.contains(.caseInsensitive) { folded.start = lowercased(plain.start, plain.count) }
        } else {
            let string = String(
                decoding: UnsafeBufferPointer(start: bytes.base + plain.start, count: plain.count), as: UTF8.self)
            folded.start = bytes.count
            append(options.folded(string))
            folded.count = bytes.count - folded.start
        }
        texts[slot * 4 + variant] = folded
    }

    /// Returns true if some of `bytes` are all ASCII.
    func isASCII(_ start: Int, _ count: Int) -> Bool {
        var all: UInt8 = 0
        for index in start..<start + count { all |= bytes.base[index] }
        return all < 0x80
    }

    /// The place of some of `bytes` with ASCII's capitals made small: their own when there are none.
    mutating func lowercased(_ start: Int, _ count: Int) -> Int {
        var hasCapitals = false
        for index in start..<start + count { hasCapitals = hasCapitals || bytes.base[index] &- 65 < 26 }
        guard hasCapitals else { return start }
        let place = bytes.append(0, times: count)
        for index in 0..<count {
            let byte = bytes.base[start + index]
            bytes.base[place + index] = byte &- 65 < 26 ? byte | 0x20 : byte
        }
        return place
    }

    /// Appends a text to `bytes`.
    @inline(__always) mutating func append(_ string: String) { bytes.append(utf8: string) }
}

extension Arena<UInt8> {
    /// Appends the bytes of a text.
    @inline(__always) mutating func append(utf8 string: String) {
        let isContiguous: Void? = string.utf8.withContiguousStorageIfAvailable { append($0) }
        if isContiguous == nil { for byte in string.utf8 { append(byte) } }
    }
}
