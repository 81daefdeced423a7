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
        let looks = message.hits.map { $0.ownLook.encoded() }
        let uses = Dictionary(looks.map { ($0, 1) }, uniquingKeysWith: +)
        let saving = uses.reduce(0) { $0 + ($1.value - 1) * $1.key.count }
        guard saving >= savingMin else { return nil }
        var shared = message
        var numbers: [[UInt8]: Int32] = [:]
        for (index, look) in looks.enumerated() where uses[look]! > 1 && !look.isEmpty {
            if numbers[look] == nil {
                shared.looks.append(message.hits[index].ownLook)
                numbers[look] = Int32(shared.looks.count)
            }
            shared.hits[index].ownLook = HitLook()
            shared.hits[index].look = numbers[look]!
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
