import Synchronization

/// The life of a process: what it asks for after its death is neither done nor answered with success.
final class Life: Sendable {
    private let dead = Atomic(false)
    /// Indicates whether the process answers requests.
    let isOpen = Atomic(true)

    var isDead: Bool { dead.load(ordering: .relaxed) }

    func end() { dead.store(true, ordering: .relaxed) }
}
