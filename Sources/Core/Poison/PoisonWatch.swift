import CrashMarks
import Synchronization
import Telemetry

/// Gives a stage the entries to skip in one partition, and marks the entry in work. One item at a time.
package final class PoisonWatch: Sendable {
    private let suspects: Suspects
    private let slot: CrashMarkSlot?
    /// The mark of an item that is looked at while another one is worked on.
    private let blame: Mutex<CrashMarkSlot?>
    /// The entries of the partition that something is known of.
    private let known = Mutex<[Int64: PoisonTable.Item]>([:])

    init(suspects: Suspects, slot: CrashMarkSlot?, blame: CrashMarkSlot? = nil) {
        self.suspects = suspects
        self.slot = slot
        self.blame = Mutex(blame)
    }

    /// Takes note of what became known of an entry.
    func learn(_ offset: Int64, _ item: PoisonTable.Item) { known.withLock { $0[offset] = item } }

    /// Returns true if something is known of an entry: a process has died at it, or it is set aside.
    package func knows(_ offset: Int64) -> Bool { known.withLock { !$0.isEmpty && $0[offset] != nil } }

    /// Returns true if an entry is set aside.
    package func isSetAside(_ offset: Int64) -> Bool {
        known.withLock { !$0.isEmpty && $0[offset]?.isSetAside == true }
    }

    /// Works on an entry, with a mark for later processes if this one crashes at it; nil if the entry is set aside.
    ///
    /// An entry at which a process has crashed is worked on alone among its kind, so that the next crash is surely its
    /// own.
    /// - Parameter body: gets the number of crashes at the entry; must not wait for anything.
    package func meet<Result>(_ offset: Int64, _ body: (_ deaths: Int) throws -> Result) rethrows -> Result? {
        let item = known.withLock { $0.isEmpty ? nil : $0[offset] }
        guard let item, item.deaths > 0 || item.isSetAside else {
            slot?.begin(offset)
            defer { slot?.end() }
            return try body(0)
        }
        if item.isSetAside {
            PoisonLedger.passedBy.increment()
            return nil
        }
        return try suspects.lock.withLock { _ in
            slot?.begin(offset, isAlone: true)
            defer { slot?.end() }
            return try body(item.deaths)
        }
    }
}

extension PoisonWatch {
    /// Works on an earlier item while another one is in work: if the process crashes now, this one is to blame, too.
    /// One at a time in the whole process.
    package func blame<Result>(_ offset: Int64, _ body: () throws -> Result) rethrows -> Result {
        try blame.withLock { slot in
            slot?.begin(offset, isAlone: true)
            defer { slot?.end() }
            return try body()
        }
    }
}

extension PoisonWatch? {
    /// Looks at an item as `PoisonWatch.blame` does; without a watch nobody is blamed.
    package func blame<Result>(_ offset: Int64, _ body: () throws -> Result) rethrows -> Result {
        guard let self else { return try body() }
        return try self.blame(offset, body)
    }

    /// Works on an entry as `PoisonWatch.meet` does; without a watch nothing is known of any.
    package func meet<Result>(_ offset: Int64, _ body: (_ deaths: Int) throws -> Result) rethrows -> Result? {
        guard let self else { return try body(0) }
        return try self.meet(offset, body)
    }
}

/// Held during the work on an entry at which a process has crashed.
final class Suspects: Sendable {
    let lock = Mutex(())
}
