import PostgreSQL
import TestSupport
import Testing

@Suite("Commits", .hangGuard) struct CommitTests {
    @Test("a commit whose answer is lost has an unknown outcome, unless a statement before it was refused")
    func unknownCommit() throws {
        let begun = [ServerBytes.message("1"), ServerBytes.message("2"), ServerBytes.message("n")]
        let done = begun + [ServerBytes.message("C", ServerBytes.text("BEGIN"))]
        let refused = done + [ServerBytes.error("40001")]
        let ended = done + [ServerBytes.error("57P01", severity: "FATAL")]
        for (answer, isUnknown) in [([], true), (done, true), (refused, false), (ended, true)] {
            let server = FakeServer { peer in
                guard peer.greet(), peer.readRequest() else { return }
                peer.write(answer.flatMap { $0 })
            }
            let connection = try PostgreSQLConnection.open(PostgreSQLConfiguration(address: server.address))
            let error = try failure { try connection.transaction {} }
            #expect(error.kind == .connectionLost && error.isOutcomeUnknown == isUnknown, "\(error)")
            #expect(error.isRetryable == !isUnknown)
        }
    }

    @Test("a commit that was answered is one, though the connection ended right after it")
    func answeredCommit() throws {
        let statement = [ServerBytes.message("1"), ServerBytes.message("2"), ServerBytes.message("n")]
        let bytes =
            statement + [ServerBytes.message("C", ServerBytes.text("BEGIN"))] + statement
            + [ServerBytes.message("C", ServerBytes.text("COMMIT"))]
        let server = FakeServer { peer in
            guard peer.greet(), peer.readRequest() else { return }
            peer.write(bytes.flatMap { $0 })
        }
        let connection = try PostgreSQLConnection.open(PostgreSQLConfiguration(address: server.address))
        try connection.transaction {}
        #expect(connection.isLost)
    }

    @Test("a commit that was sent is not cancelled, and later statements are refused")
    func uncancelled() throws {
        let statement = [ServerBytes.message("1"), ServerBytes.message("2"), ServerBytes.message("n")]
        let bytes =
            statement + [ServerBytes.message("C", ServerBytes.text("BEGIN"))] + statement
            + [ServerBytes.message("C", ServerBytes.text("COMMIT")), ServerBytes.ready]
        let (sent, stopped) = (Meeting(2), Meeting(2))
        let server = FakeServer { peer in
            guard peer.greet(), peer.readRequest() else { return }
            sent.wait()
            stopped.wait()
            peer.write(bytes.flatMap { $0 })
            peer.waitForEnd()
        }
        let connection = try PostgreSQLConnection.open(PostgreSQLConfiguration(address: server.address))
        let canceller = connection.canceller
        let stopping = Worker {
            sent.wait()
            canceller.stop()
            stopped.wait()
        }
        try connection.transaction {}
        try stopping.join()
        #expect(server.accepted.value == 1, "a cancellation has a connection of its own")
        #expect(try failure { _ = try connection.query("SELECT 1") }.kind == .cancelled)
    }
}
