import Synchronization

/// The life of a process: what it asks for after its death is neither done nor answered with success.
final class Life: Sendable {
    private let dead = Atomic(false)

    var isDead: Bool { dead.load(ordering: .relaxed) }

    func end() { dead.store(true, ordering: .relaxed) }
}
