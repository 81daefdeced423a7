import Synchronization
import Testing
import Waiting

@Suite struct ClosingTests {
    private struct Trouble: Error {}

    @Test(arguments: [true, false])
    func resourcesAreClosedOnceAfterTheWork(isFailing: Bool) async throws {
        let steps = Mutex<[String]>([])
        let result: Result<Int, any Error>
        do {
            result = .success(
                try await Task.closing({ steps.withLock { $0.append("closed") } }) {
                    steps.withLock { $0.append("worked") }
                    if isFailing { throw Trouble() }
                    return 7
                })
        } catch {
            result = .failure(error)
        }
        #expect(steps.withLock { $0 } == ["worked", "closed"])
        #expect((try? result.get()) == (isFailing ? nil : 7))
    }
}
