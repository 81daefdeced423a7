import Synchronization

/// A mistake that a simulation has to find.
///
/// Those of the port are made by the simulated log itself; the code knows nothing of them.
enum Mutation: String, CaseIterable, Sendable {
    /// A commit of state is told as done and is not.
    case skipACommit = "skip-a-commit"
    /// Appends are told as stored before they are.
    case commitBeforeWriting = "commit-before-writing"
    /// Taking over reads the state to the end that a broker tells.
    case stateToToldEnd = "state-to-told-end"
    /// What delivery has seen of its sources is not committed with the users' state.
    case forgetPositions = "forget-positions"
    /// A revoked partition is given back before its work has ended.
    case releaseBeforeLastCommit = "release-before-last-commit"

    private static let active = Mutex<Mutation?>(nil)

    static func activate(_ mutation: Mutation?) { active.withLock { $0 = mutation } }

    var isOn: Bool { Self.active.withLock { $0 } == self }
}
