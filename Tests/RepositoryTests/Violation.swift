import Testing

/// One place of the repository that breaks a rule, and what to do about it.
struct Violation: Equatable, CustomStringConvertible {
    var path: String
    /// Counted from 1; 0 is the whole file.
    var line = 0
    var remedy: String

    var description: String { line == 0 ? "\(path): \(remedy)" : "\(path):\(line): \(remedy)" }
}

/// Fails the test once for each violation.
func expectNone(_ violations: [Violation], sourceLocation: SourceLocation = #_sourceLocation) {
    for violation in violations { Issue.record("\(violation.description)", sourceLocation: sourceLocation) }
}
