/// Check of what a stage stands on, made each time the stage begins or begins again: that store, log and topics still belong
/// together. Composition gives it; tests of a single stage need none.
package struct StartCheck: Sendable {
    /// Passes always.
    package static let none = StartCheck {}

    private let check: @Sendable () async throws -> Void

    /// - Parameter check: throws when the stage must not work; the stage asks again after its pause.
    package init(_ check: @escaping @Sendable () async throws -> Void) { self.check = check }

    /// Returns when the stage may begin.
    /// - Throws: what has to be mended before.
    package func pass() async throws { try await check() }
}
