import Foundation

/// The seeds of tests with random inputs: the same in each run, so that every run can be repeated.
package enum TestSeeds {
    /// `FANFARE_TEST_SEED`; else 1.
    package static let first = ProcessInfo.processInfo.environment["FANFARE_TEST_SEED"].flatMap { UInt64($0) } ?? 1

    /// So many of them, from the first one on.
    package static func several(_ count: Int) -> [UInt64] { (0..<UInt64(count)).map { first &+ $0 } }
}
