import CloudMessages
import CloudModel
import EventLog

/// The progress of stage 1 in the backfills of one partition, as a committed position has it: subscriptions are begun
/// in the order of their creation, and those of a few users are under way. Pure.
///
/// It takes a few sources that no change has. Kafka has 4,096 bytes for a position, so the numbers of lanes and of
/// users whose use is known are bounded.
struct PastProgress: Hashable {
    /// Users whose backfills are under way in a partition. Others wait in the table of subscriptions.
    static let lanesMax = 6
    /// Users whose use is known: of more, the lowest is forgotten.
    static let usedMax = 16

    /// The creation of the last subscription that is delivered or in a lane, by store.
    private(set) var begun: [UInt64: CommitSequence] = [:]
    /// The creation up to which all are delivered, by store.
    private(set) var done: [UInt64: CommitSequence] = [:]
    private(set) var lanes: [UInt64: PastLane] = [:]
    /// The bytes that each lane has used in the present day, of `Limits.backfillBytesPerDayMax`.
    private(set) var used: [UInt64: Int64] = [:]
    /// The day of the log's time, counted from 1970.
    private(set) var day: Int32 = 0

    // MARK: Lanes

    /// Takes a subscription into its lane.
    /// - Returns: false if there is no lane for it yet.
    mutating func begin(_ created: CommitSequence, in lane: UInt64, store: UInt64) -> Bool {
        guard created > begun[store] ?? .zero else { return true }
        if lanes[lane] == nil {
            guard lanes.count < Self.lanesMax else { return false }
            lanes[lane] = PastLane(id: lane, store: store, done: CommitSequence(created.rawValue - 1))
        }
        begun[store] = created
        return true
    }

    /// The lane whose turn it is: the one that has used least today, of these the one that waits longest.
    /// - Parameter others: lanes that have no turn now.
    func next(except others: Set<UInt64> = []) -> PastLane? {
        lanes.values.filter { !others.contains($0.id) }.min {
            (used[$0.id] ?? 0, $0.done.rawValue, $0.id) < (used[$1.id] ?? 0, $1.done.rawValue, $1.id)
        }
    }

    /// Notes the store of a lane.
    mutating func note(store: UInt64, of lane: UInt64) { lanes[lane]?.store = store }

    /// Notes how far the pass of a lane is.
    mutating func note(_ next: Int64, in lane: UInt64, end: CommitSequence) {
        lanes[lane]?.pass = .init(end: end, next: next)
    }

    /// Notes that the pass of a lane is over.
    /// - Parameter isLast: true if the lane has no later subscription.
    mutating func endPass(of lane: UInt64, at end: CommitSequence, isLast: Bool) {
        lanes[lane]?.pass = nil
        lanes[lane]?.done = end
        if isLast { lanes[lane] = nil }
        for (store, begun) in begun {
            guard lanes.values.allSatisfy({ $0.store != nil }) else { break }
            let open = lanes.values.filter { $0.store == store }.map(\.done).min()
            done[store] = max(done[store] ?? .zero, min(begun, open ?? begun))
        }
    }

    // MARK: Budget

    /// Goes on to the time of an entry in the log: a new day begins with nothing used, and so does one that is more than a
    /// day before the present one, as the log's clock had leapt ahead then.
    mutating func advance(to time: LogTimestamp) {
        let today = Int32(clamping: time.milliseconds / 86_400_000)
        guard today > day || today < day - 1 else { return }
        day = today
        used = [:]
    }

    /// The bytes that a lane may still use today.
    func room(in lane: UInt64) -> Int { max(0, Limits.backfillBytesPerDayMax - Int(clamping: used[lane] ?? 0)) }

    /// Notes that a lane has used bytes.
    mutating func use(_ bytes: Int, in lane: UInt64) {
        guard bytes > 0 else { return }
        used[lane, default: 0] += Int64(bytes)
        guard used.count > Self.usedMax else { return }
        let least = used.filter { $0.key != lane }.min { ($0.value, $0.key) < ($1.value, $1.key) }
        if let least { used[least.key] = nil }
    }

    // MARK: Positions

    private static let begunOrigin = "past.begun"
    private static let laneOrigin = "past.lane"
    private static let endOrigin = "past.end"
    private static let nextOrigin = "past.next"
    private static let usedOrigin = "past.used"
    /// The share under way in positions of before, when each subscription had its own: it starts again.
    private static let formerOrigin = "past.at"

    /// Returns true if a source in a committed position is of backfills.
    static func isOf(_ source: SourceID) -> Bool {
        [SourceID.pastDoneOrigin, begunOrigin, laneOrigin, endOrigin, nextOrigin, usedOrigin, formerOrigin].contains(
            source.origin)
    }

    /// Returns true if a source says how far a pass is, which is nowhere in another topic.
    static func isOfPass(_ source: SourceID) -> Bool { [endOrigin, nextOrigin, formerOrigin].contains(source.origin) }

    init() {}

    /// Reads what a committed position has of it.
    init(_ position: LogPosition) {
        var ends: [UInt64: CommitSequence] = [:]
        var nexts: [UInt64: Int64] = [:]
        for (source, place) in position.seen {
            let (number, sequence) = (source.incarnation, CommitSequence(place.offset))
            switch source.origin {
            case SourceID.pastDoneOrigin: done[number] = sequence
            case Self.begunOrigin: begun[number] = sequence
            case Self.laneOrigin: lanes[number] = PastLane(id: number, done: sequence)
            case Self.endOrigin: ends[number] = sequence
            case Self.nextOrigin: nexts[number] = place.offset
            case Self.usedOrigin:
                // After a leap, or by an older version, a position may have several days.
                if place.index > day { (day, used) = (place.index, [:]) }
                if place.index == day { used[number] = place.offset }
            default: break
            }
        }
        // An older version goes on from `done`, and leaves the rest as it was.
        for (store, done) in done { begun[store] = max(begun[store] ?? .zero, done) }
        for (lane, end) in ends { if let next = nexts[lane] { lanes[lane]?.pass = .init(end: end, next: next) } }
    }

    /// The sources that a committed position has of it.
    func sources(_ partition: Int32) -> [SourcePosition] {
        func source(_ origin: String, _ number: UInt64, at offset: Int64, index: Int32 = 0, kind: Int32 = 0)
            -> SourcePosition
        {
            SourcePosition(
                source: SourceID(origin: origin, incarnation: number, partition: kind == 0 ? partition : kind),
                offset: offset, index: index)
        }
        var sources = done.map { source(SourceID.pastDoneOrigin, $0, at: $1.rawValue) }
        for (store, begun) in begun where begun > done[store] ?? .zero {
            sources.append(source(Self.begunOrigin, store, at: begun.rawValue))
        }
        for lane in lanes.values {
            sources.append(source(Self.laneOrigin, lane.id, at: lane.done.rawValue))
            guard let pass = lane.pass else { continue }
            sources.append(source(Self.endOrigin, lane.id, at: pass.end.rawValue))
            sources.append(source(Self.nextOrigin, lane.id, at: pass.next))
        }
        // A position has few sources of one origin and partition: these are dealt to some numbers.
        for (lane, bytes) in used {
            sources.append(
                source(Self.usedOrigin, lane, at: bytes, index: day, kind: Int32(truncatingIfNeeded: lane & 7)))
        }
        return sources
    }
}
