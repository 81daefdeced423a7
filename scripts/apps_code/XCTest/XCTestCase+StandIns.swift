import XCTest

extension XCTestCase {
    var executionTimeAllowance: TimeInterval {
        get { 0 }
        set {}
    }
}
