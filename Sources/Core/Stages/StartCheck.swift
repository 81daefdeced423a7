/// A check before each start of a stage: that store, log and topics still belong together. The composition passes it;
/// tests of a single stage need none.
package struct StartCheck: Sendable {
    /// Passes always.
    package static let none = StartCheck {}

    private let check: @Sendable () async throws -> Void

    /// - Parameter check: throws when the stage must not work; the stage asks again after its pause.
    package init(_ check: @escaping @Sendable () async throws -> Void) { self.check = check }

    /// Returns when the stage may start.
    /// - Throws: the difference that has to be repaired first.
    package func pass() async throws { try await check() }
}
