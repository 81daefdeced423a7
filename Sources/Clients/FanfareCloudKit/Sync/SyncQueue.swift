/// A change that a sync engine has to send: a save or a deletion of a record or a zone.
protocol SyncChange: Sendable {
    associatedtype ID: Hashable & Sendable

    /// The record or the zone.
    var id: ID { get }
    /// True for a deletion.
    var isDeletion: Bool { get }
}

/// The changes that an engine has to send, in the order in which they were added, and what a running send did with
/// them. Each is *pending* until it is sent; *in flight* until its answer is there; then gone, or pending again where
/// it is to be sent again without help of the app.
///
/// A send takes the changes that are pending when it begins. A record or zone that it has sent, and one that was added
/// since, waits for the next send. A change that is added while an older one of its record is in flight is another
/// change: it stays pending whatever becomes of the older one.
struct SyncQueue<Change: SyncChange>: Sendable {
    private var changes: [Int: Change] = [:]
    private var numbers: [Change.ID: Int] = [:]
    private var last = 0
    private var flying: [Int: Change] = [:]
    /// The records or zones whose changes wait for the next send; nil while none runs.
    private var waiting: Set<Change.ID>?

    /// The pending changes.
    var pending: [Change] { Self.ordered(changes) }
    /// The changes whose answers are not there yet.
    var inFlight: [Change] { Self.ordered(flying) }
    /// The changes of which nobody knows that they were done: the changes that a restart has to send.
    var unsent: [Change] { Self.ordered(changes.merging(flying.filter { numbers[$1.id] == nil }) { own, _ in own }) }
    /// True if nothing is pending.
    var isEmpty: Bool { changes.isEmpty }
    /// True if the running send may send more.
    var hasOpen: Bool { changes.values.contains { isOpen($0.id) } }

    /// Adds a change; the last of a record's or zone's counts.
    mutating func add(_ change: Change) {
        remove(id: change.id)
        last += 1
        changes[last] = change
        numbers[change.id] = last
        waiting?.insert(change.id)
    }

    /// Takes a pending change out, if it is that of its record or zone.
    mutating func remove(_ change: Change) {
        guard let number = numbers[change.id], changes[number]?.isDeletion == change.isDeletion else { return }
        remove(id: change.id)
    }

    // MARK: A send

    /// Begins a send.
    mutating func begin() { waiting = [] }

    /// Ends a send.
    mutating func end() {
        finish { _ in true }
        waiting = nil
    }

    /// True if the running send may send a change of a record or zone.
    func isOpen(_ id: Change.ID) -> Bool { waiting?.contains(id) != true }

    /// Notes that changes are sent now. Those that are not pending are the app's own to track.
    mutating func send(_ sent: [Change]) {
        for change in sent {
            waiting?.insert(change.id)
            guard let number = numbers[change.id], changes[number]?.isDeletion == change.isDeletion else { continue }
            remove(id: change.id)
            flying[number] = change
        }
    }

    /// Takes the changes out of flight, as they are answered.
    /// - Parameter isKept: true for a record or zone whose change is to be sent again.
    mutating func finish(keeping isKept: (Change.ID) -> Bool) {
        for (number, change) in flying where numbers[change.id] == nil && isKept(change.id) {
            changes[number] = change
            numbers[change.id] = number
        }
        flying = [:]
    }

    private mutating func remove(id: Change.ID) {
        guard let number = numbers.removeValue(forKey: id) else { return }
        changes[number] = nil
    }

    private static func ordered(_ changes: [Int: Change]) -> [Change] {
        changes.sorted { $0.key < $1.key }.map(\.value)
    }
}
