import Foundation
import Testing

@testable import Waiting

@Suite struct ProcessorsTests {
    @Test func `the processors of a process are those that it may run on`() {
        #expect(Processors.count == ProcessInfo.processInfo.activeProcessorCount)
    }

    @Test(arguments: [
        ("Name:\tx\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", 2), ("Cpus_allowed:\tff,00000001\n", 9),
        ("Cpus_allowed:\t0\n", nil), ("Name:\tx\n", nil), ("", nil),
    ])
    func `they are counted in the status`(status: String, count: Int?) {
        #expect(Processors.allowed(in: status) == count)
    }
}
