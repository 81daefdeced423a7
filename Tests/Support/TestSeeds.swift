import Foundation

/// The seeds of tests with random inputs: the same in each run, so that every run can be repeated.
package enum TestSeeds {
    /// `FANFARE_TEST_SEED`; 1 where it is not set.
    package static let first: UInt64 = {
        guard let text = ProcessInfo.processInfo.environment["FANFARE_TEST_SEED"] else { return 1 }
        guard let seed = UInt64(text) else {
            fatalError("FANFARE_TEST_SEED is '\(text)'; it may be a whole number from 0 to \(UInt64.max)")
        }
        return seed
    }()

    /// So many of them, from the first one on.
    package static func several(_ count: Int) -> [UInt64] { (0..<UInt64(count)).map { first &+ $0 } }
}
