import CloudModel

/// The bytes by which the index knows a value: two values are equal when their bytes are.
enum OperandName {
    static let text = UInt8(ascii: "s")
    static let integer = UInt8(ascii: "i")
    static let double = UInt8(ascii: "d")
    static let place = UInt8(ascii: "l")
    static let reference = UInt8(ascii: "r")
    static let localReference = UInt8(ascii: "n")
    static let token = UInt8(ascii: "w")
    static let zone = UInt8(ascii: "z")
    static let owner = UInt8(ascii: "o")
    static let type = UInt8(ascii: "t")
    static let pattern = UInt8(ascii: "p")
    static let tree = UInt8(ascii: "y")

    /// The kind and the folded value of a filter's operand; nil for one that equals nothing. `exactly` is for system
    /// fields, whose strings are never folded.
    static func of(_ operand: FieldValue, _ options: Predicate.StringOptions) -> (bytes: [UInt8], variant: Variant)? {
        switch operand {
        case .string(let string):
            return (bytes(text, options.isEmpty ? string : options.folded(string)), Variant(options))
        case .int64(let number): return (bytes(integer: number), .exact)
        case .timestamp(let time): return (bytes(integer: time.milliseconds), .exact)
        case .double(let number): return bytes(double: number).map { ($0, .exact) }
        case .reference(let reference):
            let name = [UInt8](reference.recordName.rawValue.utf8)
            guard let zone = reference.zone else {
                return (bytes(localReference, reference.recordName.rawValue), .local)
            }
            return ([Self.reference] + bytes(of: name, in: zone), .exact)
        case .location(let location):
            return bytes(latitude: location.latitude, longitude: location.longitude).map { ($0, .exact) }
        case .bytes, .asset, .list, .encrypted: return nil
        }
    }

    /// The bytes of a relation that only the plain walk evaluates; nil for others.
    static func bytes(of relation: Predicate.Relation) -> [UInt8]? {
        switch relation {
        case .near(let place, let metres, let isInclusive):
            [isInclusive ? 1 : 0]
                + [place.latitude, place.longitude, metres].flatMap { withUnsafeBytes(of: $0) { Array($0) } }
        case .listMemberBeginsWith(let prefix, let options):
            [2, UInt8(truncatingIfNeeded: options.rawValue)] + prefix.utf8
        default: nil
        }
    }

    /// A text behind its kind.
    static func bytes(_ kind: UInt8, _ text: String) -> [UInt8] {
        let utf8 = text.utf8
        return [UInt8](unsafeUninitializedCapacity: utf8.count + 1) { buffer, count in
            buffer[0] = kind
            count = 1
            for byte in utf8 {
                buffer[count] = byte
                count += 1
            }
        }
    }

    static func bytes(integer number: Int64) -> [UInt8] {
        [integer] + withUnsafeBytes(of: number) { Array($0) }
    }

    static func bytes(double number: Double) -> [UInt8]? {
        if number.isNaN { return nil }
        if let whole = Number.whole(number) { return bytes(integer: whole) }
        return [double] + withUnsafeBytes(of: number) { Array($0) }
    }

    /// -0 is 0, and NaN equals nothing.
    static func bytes(latitude: Double, longitude: Double) -> [UInt8]? {
        if latitude.isNaN || longitude.isNaN { return nil }
        return [place] + withUnsafeBytes(of: latitude + 0) { Array($0) }
            + withUnsafeBytes(of: longitude + 0) { Array($0) }
    }

    /// Lengths first: names may hold every character that could part them.
    static func bytes(of name: [UInt8], in zone: ZoneID) -> [UInt8] {
        let zoneName = [UInt8](zone.name.rawValue.utf8)
        return withUnsafeBytes(of: UInt32(name.count)) { Array($0) } + name
            + withUnsafeBytes(of: UInt32(zoneName.count)) { Array($0) } + zoneName + zone.owner.rawValue.utf8
    }
}
