import CloudMessages
package import CloudModel
package import EventLog
import ProtocolBuffers

/// The entries of `deliveries` for the hits of one change: a user's together, split when they are many. They are made
/// one by one, as all together may be large.
///
/// Of a user who has too many, the first ones are carried and the others counted (`Limits.hitsPerChangeMax`,
/// `Limits.hitBytesPerChangeMax`, `HitRates`): a user's subscriptions must not multiply the cost of another user's
/// save.
///
/// Everything here is part of the message version, as a replay has to write the same again: the order (users by name,
/// hits by database and subscription), the numbers at which entries are split and hits only counted, and the index that
/// names each of them.
package struct HitEntries: Sequence, IteratorProtocol {
    /// Bytes that a user's hits of a change may have together, each with all that it shows, beside the first one: more
    /// than stage 2 has room for. It bounds the work of measuring them.
    private static let wholeBytesMax = 4 << 20
    /// Hits that are encoded without measuring each, whatever they show, and the bytes of a text that does not count.
    private static let unmeasuredMax = 4
    private static let textBytesMin = 1024

    /// An entry, encoded.
    package struct Encoded {
        /// The owner of the subscriptions that fired.
        package var user: UserRecordName
        /// The entry's name: its source is that of the change.
        package var index: Int32
        /// The bytes of a `DeliveryEntry`.
        package var value: [UInt8]
    }

    private let hits: [FiredSubscription]
    private let change: Change
    private let changeBytes: Int
    private let source: SourceID
    private let number: Int64
    private let place: Int64?
    private let formerly: UInt64
    private let zone: ZoneID?
    private let isPast: Bool
    private let trace: [UInt8]
    private var texts: AlertTexts
    /// Places in `hits`, in the order in which they are written, and how many of them are done.
    private let order: [Int]
    private var done = 0
    private var index: Int32 = 0
    /// The rest of a user's.
    private var user: UserRecordName?
    private var pending: ArraySlice<Hit> = []
    /// Hits of the user in entries before, their bytes, and hits that are counted only.
    private var first = 0
    private var bytesBefore = 0
    private var omitted = 0
    /// Of a backfill, the creations of the subscriptions that are counted only.
    private var leftOut: [Int64] = []
    /// The bytes that the user's hits of the change may have by the rates, and those that these have not counted yet.
    private var allowance = 0
    private var uncounted = 0
    /// The bytes that the hits in entries before have with looks written once, and those of the change's first hit.
    private var compactBefore = 0
    private var firstBytes = 0

    /// Starts with the first entry of a change.
    /// - Parameters:
    ///     - hits: in any order.
    ///     - changeBytes: the bytes of the change, as it was read.
    ///     - source: the source that names the entries.
    ///     - number: the change's number at that source.
    ///     - place: the offset of the change in its topic, where the entries are not named by it.
    ///     - formerly: the incarnation of that topic, where an earlier build may have written the entries; otherwise 0.
    ///     - trace: the trace of the change.
    ///     - isPast: true if the change is in the backfill of each of the subscriptions.
    package init(
        _ hits: [FiredSubscription], of change: Change, changeBytes: Int, source: SourceID, number: Int64,
        place: Int64? = nil, formerly: UInt64 = 0, trace: [UInt8] = [], isPast: Bool = false
    ) {
        self.hits = hits
        self.trace = trace
        self.isPast = isPast
        self.change = change
        self.changeBytes = changeBytes
        self.source = source
        self.number = number
        self.place = place
        self.formerly = formerly
        texts = AlertTexts(of: change.matched?.fields ?? RecordFields())
        zone = change.affectedZone
        order = hits.indices.sorted { hits[$0].key.precedes(hits[$1].key) }
    }

    /// The next entry, without a bound by rates.
    package mutating func next() -> Encoded? {
        var none = HitRates.none
        return next(within: &none)
    }

    /// The next entry; hits for which a rate leaves no room are counted only.
    package mutating func next(within rates: inout HitRates) -> Encoded? {
        guard let zone else { return nil }
        if pending.isEmpty {
            guard done < order.count else { return nil }
            takeUser()
            allowance = Limits.hitBytesFree + rates.room(for: user!, of: change.origin.user)
            if isSmall {
                let value = encoded(pending, zone, omitted: omitted)
                if value.count <= Swift.min(Limits.hitBytesPerChangeMax, allowance) {
                    pending = []
                    return entry(value, &rates)
                }
            }
        }
        let (part, bytes) = takePart()
        defer {
            first += part.count
            bytesBefore += bytes
        }
        return entry(encoded(part, zone, omitted: pending.isEmpty ? omitted : 0), &rates)
    }

    private mutating func entry(_ value: [UInt8], _ rates: inout HitRates) -> Encoded {
        defer { index += 1 }
        uncounted += value.count
        rates.count(uncounted, for: user!, of: change.origin.user, at: place ?? number)
        uncounted = Swift.min(0, uncounted)
        return Encoded(user: user!, index: index, value: value)
    }

    /// Returns true if the user's hits are so few, or show so little, that they need not be measured one by one.
    private var isSmall: Bool {
        pending.count <= Limits.hitsPerEntryMax && pending.count * changeBytes <= Self.wholeBytesMax
            && (pending.count <= Self.unmeasuredMax
                || pending.allSatisfy {
                    $0.appearance == nil && ($0.alertBody?.utf8.count ?? 0) <= Self.textBytesMin
                })
    }

    private mutating func takeUser() {
        let first = hits[order[done]].key.user
        var end = done + 1
        while end < order.count, hits[order[end]].key.user == first { end += 1 }
        let carried = order[done..<end].prefix(Limits.hitsPerChangeMax)
        pending = []
        for number in carried { pending.append(hit(hits[number])) }
        omitted = end - done - carried.count
        leftOut = isPast ? order[done..<end].dropFirst(carried.count).map { hits[$0].created.rawValue } : []
        (self.first, bytesBefore, compactBefore, uncounted) = (0, 0, 0, -Limits.hitBytesFree)
        user = first
        done = end
    }

    /// The next hits of the user, as many as one entry holds, and their bytes. From the first one on for which there is
    /// no room they are counted only. The change's first hit has room beside `Limits.hitBytesPerChangeMax`: at most
    /// three fields of a record, 1 MiB, a subscription's texts, 1 MiB, and 30 arguments of 16 KiB, so that no entry
    /// comes near the largest message.
    private mutating func takePart() -> (hits: ArraySlice<Hit>, bytes: Int) {
        var bytes = 0
        var end = pending.startIndex
        var looks: Set<EncodedLook> = []
        while end < pending.endIndex, end - pending.startIndex < Limits.hitsPerEntryMax {
            let size = pending[end].encoded().count
            let look = EncodedLook(pending[end].ownLook)
            let compact = looks.insert(look).inserted ? size : size - look.bytes.count
            if first == 0, end == pending.startIndex { firstBytes = size }
            guard compactBefore + compact <= Swift.min(allowance, firstBytes + Limits.hitBytesPerChangeMax),
                bytesBefore + bytes + size <= firstBytes + Self.wholeBytesMax
            else {
                omitted += pending.endIndex - end
                if isPast { leftOut = pending[end...].map(\.created) + leftOut }
                pending = pending[..<end]
                break
            }
            compactBefore += compact
            bytes += size
            end += 1
        }
        defer { pending = pending[end...] }
        return (pending[..<end], bytes)
    }

    /// Without a record, when the zone itself was created or deleted.
    private func encoded(_ hits: ArraySlice<Hit>, _ zone: ZoneID, omitted: Int) -> [UInt8] {
        let position = SourcePosition(source: source, offset: number, index: index)
        return DeliveryEntry(
            source: SourcePositionMessage(position), user: user!.rawValue, time: change.committed.milliseconds,
            event: .compact(
                HitsMessage(
                    change: change.sequence.rawValue, kind: change.kind.rawValue,
                    recordType: change.matched?.type.rawValue ?? "", recordName: change.matched?.name.rawValue ?? "",
                    zone: ZoneMessage(zone), origin: OriginMessage(change.origin), hits: Array(hits),
                    first: Int32(first),
                    bytesBefore: Int64(bytesBefore), omitted: Int32(clamping: omitted),
                    backfill: isPast ? hits.first?.created ?? leftOut.first ?? 0 : 0, trace: trace,
                    database: hits.isEmpty ? change.database.rawValue : 0, leftOut: omitted > 0 ? leftOut : [])),
            place: place ?? 0, formerly: formerly
        ).encoded()
    }

    private mutating func hit(_ fired: FiredSubscription) -> Hit {
        let info = fired.notificationInfo
        var fields = RecordFields()
        // Notifications of zones and databases have no record.
        let values = fired.kind == .query ? change.matched?.fields ?? RecordFields() : RecordFields()
        for name in info.additionalFields {
            // In development a field may have come after the subscription, with a type that is not carried.
            if let value = values[name], value.type.traits.isCarried { fields[name] = value }
        }
        let appearance: Appearance<String>
        if fired.kind == .query {
            appearance = info.appearance.resolved(with: &texts)
        } else {
            var none = AlertTexts(of: values)
            appearance = info.appearance.resolved(with: &none)
        }
        return Hit(
            database: fired.key.database.rawValue, subscription: fired.key.id.rawValue,
            created: fired.created.rawValue, firesOnce: fired.firesOnce,
            shouldBadge: info.shouldBadge, alertBody: info.alertBody, fields: [FieldMessage](fields),
            appearance: AppearanceMessage(appearance), kind: fired.kind.messageNumber,
            policy: info.policy.map { PolicyMessage($0) })
    }
}

extension SubscriptionKey {
    /// By user, database and name.
    fileprivate func precedes(_ other: SubscriptionKey) -> Bool {
        if user != other.user { return user < other.user }
        return (database.rawValue, id) < (other.database.rawValue, other.id)
    }
}
