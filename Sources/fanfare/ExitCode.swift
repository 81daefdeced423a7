/// The exit codes of the program (docs/operations.md).
enum ExitCode {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let wrongUse: Int32 = 2
    /// A check found differences.
    static let differences: Int32 = 3
}
