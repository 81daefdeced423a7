import Waiting

#if canImport(Glibc)
    import Glibc
#endif

/// The lines in which the work of requests waits for its turn, fair between senders.
struct Works: Sendable {
    /// Bodies from this size on are parsed on threads of their own: the server's threads, and Swift's, are for all.
    static let parsedApartBytes = 64 << 10

    /// The line of work that may move more than a record.
    let large = LargeWork()
    /// The threads of work that keeps one busy for long.
    let pool: WorkPool<Sender>
    /// The clock that ends the waits of requests that rest.
    let alarms = AlarmClock()

    init() {
        let threads = max(2, Processors.count / 2)
        pool = WorkPool(threads: threads, share: max(1, threads / 2), waitersOfKey: LargeWork.waitersOfSender)
    }
}
