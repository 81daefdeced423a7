import CloudModel

extension EventSlots {
    /// Finds the numbers of one value in the variants that are looked at.
    @inline(__always)
    mutating func addNumbers(
        _ value: FieldValue, _ record: Record, _ use: SlotUse, _ vocabulary: borrowing Vocabulary,
        _ set: (inout EventSlots, Int, UInt32) -> Void
    ) {
        switch value {
        case .string(let string):
            let start = bytes.count
            bytes.append(OperandName.text)
            append(string)
            let count = bytes.count - start
            let isASCII = isASCII(start + 1, count - 1)
            for variant in 0..<4 where use.hasNumber(variant) {
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
                set(
                    &self, variant,
                    vocabulary.findOperand(UnsafeBufferPointer(start: bytes.base + place, count: length)))
            }
        case .int64, .timestamp, .double, .location:
            // What equals an integer is filed as one, whatever its type.
            let start = bytes.count
            guard appendName(value) else { return }
            set(&self, 0, vocabulary.findOperand(bytes.from(start)))
        case .reference(let reference):
            let zone = reference.zone ?? record.zone
            if use.hasNumber(0), let name = OperandName.of(.reference(reference.within(zone)), []) {
                set(&self, 0, name.bytes.withUnsafeBufferPointer { vocabulary.findOperand($0) })
            }
            if use.hasNumber(4), zone == record.zone {
                let start = bytes.count
                bytes.append(OperandName.localReference)
                append(reference.recordName.rawValue)
                set(&self, 4, vocabulary.findOperand(bytes.from(start)))
            }
        case .bytes, .asset, .list, .encrypted: break
        }
    }

    /// Appends the name of a number or a place to `bytes`. Returns false if it has none.
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
}

extension Reference {
    fileprivate func within(_ zone: ZoneID) -> Reference {
        Reference(recordName: recordName, zone: zone, action: action)
    }
}
