import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The state of a push sender in one partition of `pushes`: the waiting push of each destination, the one in flight,
/// and the place up to which the partition is read. Pure.
struct SenderState: Sendable {
    /// Destinations whose unsent marks are held, of a partition; those of more are given up.
    static let unsentMarksMax = 2000

    /// Bytes of notifications that are held; more of them are read again from `push-state`.
    let contentBytesMax: Int
    /// The offset to be read next, and the names that were seen.
    var position: LogPosition
    /// Bytes of notifications that are held.
    private(set) var contentBytes = 0
    /// Pushes that were settled since the last commit.
    private(set) var settledCount = 0
    /// Notifications that another one stands for.
    private(set) var collapsedCount = 0
    /// True if pushes that end unsent are kept for `takeUnsent`.
    var keepsUnsent = false
    private var unsent: [UnsentPush] = []
    /// Destinations with unsent marks.
    private var markedCount = 0
    private var places: [PushDestination: PushPlace] = [:]
    private var ready: [PushDestination] = []
    private var due = DueTimes<PushDestination>()
    private var changed: Set<PushDestination> = []
    /// The rows and contents of the commit that is under way.
    private var committing: [(destination: PushDestination, content: SourcePosition?)] = []
    private var committingSettled = 0
    /// Destinations whose content is asked for.
    private(set) var wanted: Set<PushDestination> = []

    /// Takes over a stored state.
    /// - Parameter now: due times are at most an hour from here, whatever a clock wrote.
    init(
        _ stored: [[UInt8]: [UInt8]] = [:], position: LogPosition = LogPosition(offset: 0),
        contentBytesMax: Int = 8 << 20, now: Timestamp = Timestamp(milliseconds: 0)
    ) throws {
        self.contentBytesMax = contentBytesMax
        self.position = position
        for (key, value) in stored {
            if key == PartitionState.key {
                for seen in try PartitionState(decoding: value).seen { _ = self.position.advance(to: seen.position) }
            } else if let (destination, isContent) = PushDestination.reading(key), !isContent {
                try load(destination, value, stored[destination.contentKey], now)
            }
        }
    }

    private mutating func load(
        _ destination: PushDestination, _ row: [UInt8], _ content: [UInt8]?, _ now: Timestamp
    ) throws {
        var place = try PushPlace(decoding: row)
        place.silent.advance(to: now)
        if place.waiting != nil, content != nil {
            (place.writtenContent, place.storedContent) = (place.waiting?.name, place.waiting?.name)
            place.waiting!.due = min(place.waiting!.due, Timestamp(milliseconds: now.milliseconds + 3_600_000))
            if contentBytes < contentBytesMax {
                place.waiting!.content = content
                contentBytes += content!.count
            }
        } else {
            place.waiting = nil
        }
        let marks = place.unsent
        place.unsent = UnsentMarks()
        places[destination] = place
        setUnsent(marks, of: destination)
        schedule(destination, now)
        forgetIfIdle(destination)
    }

    // MARK: Arrivals

    /// Takes a push that arrives. One that is not above the last one of its destination was found in a journal
    /// before.
    mutating func take(
        _ push: WaitingPush, for destination: PushDestination, of user: UserRecordName, at now: Timestamp
    ) {
        if places[destination]?.hasPassed(push.name) == true { return }
        var place = places.removeValue(forKey: destination) ?? PushPlace(user: user)
        contentBytes += push.content?.count ?? 0
        place.sequence = max(place.sequence, push.sequence)
        if let waiting = place.waiting {
            let merged = waiting.merged(with: push)
            contentBytes -= (merged.name == push.name ? waiting : push).content?.count ?? 0
            place.waiting = merged
            collapse(merged.name == push.name ? waiting : push, into: merged.name, destination, user)
        } else {
            place.waiting = push
        }
        // The rate of silent pushes does not hold a visible one.
        if push.isVisible { place.heldUntil = nil }
        place.isForgotten = false
        places[destination] = place
        changed.insert(destination)
        schedule(destination, now)
    }

    /// Puts a destination where it is found when it is due.
    private mutating func schedule(_ destination: PushDestination, _ now: Timestamp) {
        guard var place = places[destination], let time = place.due, place.inFlight == nil, !place.isListed else {
            return
        }
        if time > now {
            due.set(destination, at: time)
        } else {
            due.remove(destination)
            place.isListed = true
            places[destination] = place
            ready.append(destination)
        }
    }

    // MARK: Sending

    /// Takes destinations whose push is due, in their order. Each is listed until it is started, or `unlist`.
    mutating func takeReady(at now: Timestamp, max count: Int = .max) -> [PushDestination] {
        for destination in due.take(at: now) {
            places[destination]?.silent.advance(to: now)
            schedule(destination, now)
            forgetIfIdle(destination)
        }
        let taken = Array(ready.prefix(count))
        ready.removeFirst(taken.count)
        return taken
    }

    /// The next time at which a push is due; nil where none waits for a time.
    var nextDue: Timestamp? { ready.isEmpty ? due.next : Timestamp(milliseconds: 0) }

    /// The user of a destination, and the sequence that the table of addresses has to have reached; nil where nothing
    /// waits.
    func wish(_ destination: PushDestination) -> (user: UserRecordName, sequence: CommitSequence)? {
        guard let place = places[destination], let waiting = place.waiting else { return nil }
        return (place.user, waiting.sequence)
    }

    /// Begins to send the push that waits.
    mutating func start(_ destination: PushDestination, on terms: Terms, at now: Timestamp) -> Start {
        guard var place = places[destination], let waiting = place.waiting, place.inFlight == nil else {
            return .nothing
        }
        if waiting.sequence > terms.reached { return .lookUp(waiting.sequence) }
        if now.milliseconds >= waiting.time.milliseconds + terms.lifetime(of: waiting).milliseconds {
            settle(destination, waiting, "expired")
            unlist(destination, at: now)
            return .expired
        }
        // A badge alone shows nothing in a browser.
        if !terms.takesSilent, !waiting.isVisible || waiting.isMark {
            settle(destination, waiting, "silent")
            unlist(destination, at: now)
            return .unwanted
        }
        guard waiting.content != nil else {
            wanted.insert(destination)
            return .load
        }
        let asSilent = terms.isSilentWhenBehind && waiting.merged > 1
        if terms.isThrottled, asSilent || !waiting.isShown {
            place.silent.advance(to: now)
            if waiting.isReadMark, !place.silent.hasRoomToSpare {
                settle(destination, waiting, "expired")
                unlist(destination, at: now)
                return .expired
            }
            if place.silent.next > now {
                place.heldUntil = place.silent.next
                places[destination] = place
                unlist(destination, at: now)
                return .later
            }
            place.silent.take(at: now)
        }
        var marks = place.unsent
        let push = marks.take(to: waiting)
        place.inFlight = push
        place.waiting = nil
        place.isListed = false
        place.heldUntil = nil
        places[destination] = place
        setUnsent(marks, of: destination)
        changed.insert(destination)
        return .send(push, asSilent: asSilent)
    }

    /// Ends a sending.
    mutating func end(_ destination: PushDestination, _ end: End, at now: Timestamp) {
        guard let place = places[destination], var sent = place.inFlight else { return }
        places[destination]!.inFlight = nil
        changed.insert(destination)
        switch end {
        case .settled, .dropped:
            contentBytes -= sent.content?.count ?? 0
            places[destination]!.settled = sent.name
            settledCount += 1
            if end == .dropped { keepMarks(of: sent, destination) }
        case .again(let due, let tries):
            (sent.due, sent.tries) = (due, tries)
            putBack(sent, destination)
        case .withoutContents:
            sent.isWithoutContents = true
            putBack(sent, destination)
        }
        schedule(destination, now)
        forgetIfIdle(destination)
    }

    private mutating func putBack(_ sent: WaitingPush, _ destination: PushDestination) {
        guard let newer = places[destination]!.waiting else { return places[destination]!.waiting = sent }
        let merged = sent.merged(with: newer)
        contentBytes -= (merged.name == sent.name ? newer : sent).content?.count ?? 0
        places[destination]!.waiting = merged
        collapse(merged.name == newer.name ? sent : newer, into: merged.name, destination, places[destination]!.user)
    }

    private mutating func collapse(
        _ push: WaitingPush, into name: SourcePosition, _ destination: PushDestination, _ user: UserRecordName
    ) {
        collapsedCount += 1
        guard keepsUnsent else { return }
        unsent.append(UnsentPush(destination: destination, user: user, push: push, end: .collapsed(name)))
    }

    /// Takes the pushes that ended unsent since the last call.
    mutating func takeUnsent() -> [UnsentPush] {
        defer { unsent = [] }
        return unsent
    }

    /// Drops the waiting push of a destination that is not in flight. A destination without an address is forgotten.
    mutating func drop(_ destination: PushDestination, _ reason: String, isForgotten: Bool, at now: Timestamp) {
        guard let waiting = places[destination]?.waiting else { return unlist(destination, at: now) }
        settle(destination, waiting, reason)
        if isForgotten {
            setUnsent(UnsentMarks(), of: destination)
            places[destination]!.silent = SilentBudget()
            places[destination]!.isForgotten = true
        }
        unlist(destination, at: now)
    }

    private mutating func settle(_ destination: PushDestination, _ waiting: WaitingPush, _ reason: String) {
        contentBytes -= waiting.content?.count ?? 0
        if keepsUnsent {
            unsent.append(
                UnsentPush(
                    destination: destination, user: places[destination]!.user, push: waiting, end: .dropped(reason)))
        }
        places[destination]!.waiting = nil
        places[destination]!.settled = waiting.name
        settledCount += 1
        changed.insert(destination)
        keepMarks(of: waiting, destination)
    }

    private mutating func keepMarks(of push: WaitingPush, _ destination: PushDestination) {
        guard var marks = places[destination]?.unsent else { return }
        marks.keep(push)
        setUnsent(marks, of: destination)
    }

    private mutating func setUnsent(_ marks: UnsentMarks, of destination: PushDestination) {
        let had = places[destination]?.unsent.isEmpty == false
        guard had || marks.isEmpty || markedCount < Self.unsentMarksMax else { return }
        markedCount += (marks.isEmpty ? 0 : 1) - (had ? 1 : 0)
        places[destination]?.unsent = marks
    }

    /// Takes a destination out of the queues; its push is found again when it is due.
    /// - Parameter time: it is due no sooner; nil changes nothing.
    mutating func unlist(_ destination: PushDestination, until time: Timestamp? = nil, at now: Timestamp) {
        places[destination]?.isListed = false
        if let time, let due = places[destination]?.waiting?.due {
            places[destination]!.waiting!.due = max(due, time)
        }
        schedule(destination, now)
        forgetIfIdle(destination)
    }

    private mutating func forgetIfIdle(_ destination: PushDestination) {
        guard let place = places[destination], place.pending == nil, !place.isListed else { return }
        guard place.silent.isFull else { return due.set(destination, at: place.silent.end) }
        guard place.unsent.isEmpty else { return }
        // Its row is committed first.
        if !changed.contains(destination) { places[destination] = nil }
    }

    // MARK: Contents

    /// Takes contents that were read again, and makes their destinations ready. Those that were asked for and are not
    /// among them are dropped: `push-state` has lost them.
    /// - Returns: the number of pushes that were dropped.
    mutating func loaded(
        _ contents: [PushDestination: (name: SourcePosition, bytes: [UInt8])], of asked: Set<PushDestination>,
        at now: Timestamp
    ) -> Int {
        wanted.subtract(asked)
        var lost = 0
        for destination in asked {
            if let waiting = places[destination]?.waiting, waiting.content == nil {
                if let (name, bytes) = contents[destination], name == waiting.name {
                    places[destination]!.waiting!.content = bytes
                    contentBytes += bytes.count
                } else {
                    settle(destination, waiting, "contentLost")
                    lost += 1
                }
            }
            unlist(destination, at: now)
        }
        return lost
    }

    // MARK: Commits

    /// True if there is something to commit besides the position.
    var hasChanges: Bool { !changed.isEmpty }

    /// Takes the changes since the last call: rows and contents by their keys, and the position. `committed` has
    /// to follow, or the state is worthless.
    mutating func takeChanges() -> [[UInt8]: [UInt8]?] {
        var changes: [[UInt8]: [UInt8]?] = [:]
        for destination in changed {
            guard var place = places[destination] else { continue }
            let pending = place.pending
            changes[destination.key] = .some(place.isForgotten && pending == nil ? nil : place.encoded)
            if pending?.name != place.writtenContent {
                changes[destination.contentKey] = .some(pending?.content)
                place.writtenContent = pending?.name
                places[destination] = place
            }
            committing.append((destination, place.writtenContent))
        }
        changed = []
        committingSettled = settledCount
        changes[PartitionState.key] = .some(
            PartitionState(
                seen: position.seen.values.map { SourcePositionMessage($0) }, next: position.offset,
                incarnation: position.incarnation, marks: position.marks.map { EntryMarkMessage($0) }
            ).encoded())
        return changes
    }

    /// Notes that the last taken changes are committed; gives up contents beyond the limit.
    mutating func committed() {
        settledCount -= committingSettled
        committingSettled = 0
        for (destination, content) in committing {
            places[destination]?.storedContent = content
            release(destination)
            forgetIfIdle(destination)
        }
        committing = []
    }

    private mutating func release(_ destination: PushDestination) {
        guard contentBytes > contentBytesMax, let place = places[destination], let waiting = place.waiting,
            let content = waiting.content, waiting.name == place.storedContent
        else { return }
        places[destination]!.waiting!.content = nil
        contentBytes -= content.count
    }

    // MARK: Numbers

    /// The number of destinations that are held in memory.
    var placeCount: Int { places.count }

    /// The number of pushes that wait, and of those in flight, and the time of the oldest change, by kind.
    var summary: [CourierKind: (waiting: Int, inFlight: Int, oldest: Timestamp?)] {
        var result: [CourierKind: (waiting: Int, inFlight: Int, oldest: Timestamp?)] = [:]
        for (destination, place) in places {
            guard let pending = place.pending else { continue }
            var row = result[destination.kind] ?? (0, 0, nil)
            if place.waiting != nil { row.waiting += 1 }
            if place.inFlight != nil { row.inFlight += 1 }
            row.oldest = min(row.oldest ?? pending.time, pending.time)
            result[destination.kind] = row
        }
        return result
    }
}
