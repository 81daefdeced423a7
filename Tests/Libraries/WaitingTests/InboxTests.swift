import Dispatch
import TestSupport
import Testing
import Waiting

@Suite struct InboxTests {
    private let inbox = Inbox<Int>()

    @Test func commandsAreTakenOnceInTheirOrder() {
        for command in 1...3 { #expect(inbox.post(command)) }
        #expect(inbox.take() == [1, 2, 3])
        #expect(inbox.take().isEmpty)
    }

    @Test func theEndReturnsTheRestAndRefusesLaterItems() {
        #expect(inbox.post(1))
        #expect(inbox.close() == [1])
        #expect(!inbox.post(2))
        #expect(inbox.take().isEmpty && inbox.close().isEmpty)
    }

    @Test func theEndReachesEarlierAndLaterWaiters() async throws {
        try await within {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { await inbox.ended() } }
                group.addTask {
                    _ = inbox.close()
                    inbox.end()
                }
            }
            await inbox.ended()
        }
    }

    @Test func aThreadTakesPostedItemsUntilItEnds() async throws {
        try await within {
            let posted = DispatchSemaphore(value: 0)
            DedicatedThread.start(named: "inbox") {
                repeat { posted.wait() } while !inbox.take().contains(0)
                _ = inbox.close()
                inbox.end()
            }
            for command in [3, 2, 1, 0] where inbox.post(command) { posted.signal() }
            await inbox.ended()
            #expect(!inbox.post(4))
        }
    }
}
