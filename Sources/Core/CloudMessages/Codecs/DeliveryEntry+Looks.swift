import ProtocolBuffers

extension DeliveryEntry {
    /// Reads an entry. Hits that have looks in common get them as their own; those of backfills are hits whose
    /// `backfill` is not 0.
    /// - Throws: `MessageError`; `MalformedMessage` for a look that is not in the entry, and for hits of backfills that
    ///   do not say so.
    package init(reading bytes: [UInt8]) throws {
        self = try DeliveryEntry(decoding: bytes)
        var message: HitsMessage
        switch event {
        case .sharedHits(let shared)?: message = shared
        case .pastHits(let past)?:
            guard past.backfill != 0 else { throw MalformedMessage("hits of backfills without a backfill") }
            message = past
        default: return
        }
        for index in message.hits.indices where message.hits[index].look != 0 {
            let number = Int(message.hits[index].look) - 1
            guard message.looks.indices.contains(number) else {
                throw MalformedMessage("a hit with look \(number + 1), of \(message.looks.count)")
            }
            message.hits[index].ownLook = message.looks[number]
            message.hits[index].look = 0
        }
        message.looks = []
        event = .hits(message)
    }
}

/// The bytes of a look, for tables: an array hashes its bytes one by one.
package struct EncodedLook: Hashable {
    /// The look as an entry has it.
    package let bytes: [UInt8]

    /// Encodes a look.
    package init(_ look: HitLook) { bytes = look.encoded() }

    package func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

extension DeliveryEntry.Event {
    /// Bytes that sharing looks has to save. An entry of an ordinary size stays as processes of an older version read
    /// it.
    private static let savingMin = 1024

    /// Hits of a change, with the looks that several of them have written once if that saves a kilobyte.
    package static func compact(_ message: HitsMessage) -> Self {
        let isOfSeveral = message.backfill != 0 && (message.hits.count != 1 || !message.leftOut.isEmpty)
        guard let shared = shared(message) else { return isOfSeveral ? .pastHits(message) : .hits(message) }
        return isOfSeveral ? .pastHits(shared) : .sharedHits(shared)
    }

    /// The message with common looks written once; nil where that saves too little.
    private static func shared(_ message: HitsMessage) -> HitsMessage? {
        guard message.hits.count > 1 else { return nil }
        var kinds: [EncodedLook: Int] = [:]
        var (uses, bytes) = ([Int](), [Int]())
        let looks = message.hits.map { hit in
            let look = EncodedLook(hit.ownLook)
            let kind = kinds[look] ?? uses.count
            if kind == uses.count {
                kinds[look] = kind
                uses.append(0)
                bytes.append(look.bytes.count)
            }
            uses[kind] += 1
            return kind
        }
        let saving = zip(uses, bytes).reduce(0) { $0 + ($1.0 - 1) * $1.1 }
        guard saving >= savingMin else { return nil }
        var shared = message
        var numbers = [Int32](repeating: 0, count: uses.count)
        for (index, kind) in looks.enumerated() where uses[kind] > 1 && bytes[kind] > 0 {
            if numbers[kind] == 0 {
                shared.looks.append(message.hits[index].ownLook)
                numbers[kind] = Int32(shared.looks.count)
            }
            shared.hits[index].ownLook = HitLook()
            shared.hits[index].look = numbers[kind]
        }
        return shared
    }
}

extension Hit {
    /// The texts and fields that the hit's notification shows.
    package var ownLook: HitLook {
        get { HitLook(alertBody: alertBody, fields: fields, appearance: appearance) }
        set { (alertBody, fields, appearance) = (newValue.alertBody, newValue.fields, newValue.appearance) }
    }
}
