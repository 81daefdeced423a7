/// One thing that goes wrong in a history.
struct Fault: Hashable, Sendable, CustomStringConvertible {
    /// The ways in which a call of the log's port goes wrong.
    enum Call: String, CaseIterable, Sendable {
        /// Nothing is done, and the caller gets a failure.
        case failsBefore
        /// All is done, and the caller gets a failure.
        case failsAfter
        /// A part is done, and the caller gets a failure.
        case failsWithin
        /// It takes long; others go on.
        case hangs
        /// It returns an old state.
        case isOld
        /// It reports the topic or partition as missing.
        case isAbsent
    }

    /// The things that happen to processes and brokers.
    enum Event: String, CaseIterable, Sendable {
        /// A process dies; what it has sent may still arrive.
        case kill
        /// A member of a group is taken for dead: others get its partitions, it goes on and learns of it later.
        case expire
        /// A partition's leader answers for a while what it knew before.
        case oldLeader
        /// A further member joins, or one leaves in peace.
        case rebalance
        /// The wall clock leaps.
        case clockJump
    }

    enum Kind: Hashable, Sendable {
        case call(Call)
        case event(Event, UInt64)
    }

    /// The call of the port, or the step of the script, counted from 0, that meets it.
    var place: Int
    var kind: Kind

    var description: String {
        switch kind {
        case .call(let call): "call \(place) \(call)"
        case .event(let event, let choice): "step \(place) \(event) \(choice % 100)"
        }
    }
}
