import CloudModel

/// A random UUID that names an answer in logs and bug reports.
enum RequestID {
    /// The header of answers that has it.
    static let header = "X-Apple-Request-UUID"

    static func make() -> String { UniqueName.make() }
}
