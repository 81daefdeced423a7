import PostgreSQL
import TestSupport
import Testing

@Suite("Outages of pools", .hangGuard) struct PoolOutageTests {
    static func pool(_ address: String) -> PostgreSQLPool {
        PostgreSQLPool(
            PostgreSQLConfiguration(address: address),
            PostgreSQLPoolConfiguration(connections: 1, pause: .milliseconds(100), pauseMaximum: .milliseconds(400)))
    }

    @Test("without a server callers get the reason at once, and attempts come after longer and longer pauses")
    func backOff() async throws {
        let port = try #require(try RealKafka.freePorts(1).first)
        let time = ManualTime()
        try await time.bound {
            let pool = Self.pool("postgresql://user@127.0.0.1:\(port)/test?sslmode=disable")
            for number in 1...5 {
                await time.pauses(atLeast: number)
                let error = await #expect(throws: PostgreSQLError.self) { try await pool.run { $0.roundTrips } }
                #expect(error?.kind == .unreachable && pool.outage != nil)
                time.advance(by: .milliseconds(400))
            }
            for (pause, limit) in zip(time.pauses, [100, 200, 400, 400, 400]) {
                #expect(pause >= .milliseconds(limit / 2) && pause <= .milliseconds(limit))
            }
            await time.pauses(atLeast: 6)
            let server = FakeServer(port: port) { peer in
                guard peer.greet() else { return }
                while peer.readRequest() { peer.write(ServerBytes.answer.flatMap { $0 }) }
            }
            time.advance(by: .milliseconds(400))
            let count = try await answer("an answer") { try? await pool.run { try $0.query("SELECT 1").count } }
            #expect(count == 2)
            #expect(server.accepted.value == 1 && pool.outage == nil)
            await pool.close()
        }
    }

    @Test("a pool that is closed in a pause ends at once")
    func closing() async throws {
        let port = try #require(try RealKafka.freePorts(1).first)
        let time = ManualTime()
        await time.bound {
            let pool = Self.pool("postgresql://user@127.0.0.1:\(port)/test")
            await time.pauses(atLeast: 1)
            await pool.close()
        }
    }

    @Test("a server that ends each session at its first statement is not asked without pauses")
    func endsEach() async throws {
        let time = ManualTime()
        await time.bound {
            let server = FakeServer { peer in _ = peer.greet() && peer.readRequest() }
            let pool = Self.pool(server.address)
            for number in 1...3 {
                let error = await #expect(throws: PostgreSQLError.self) {
                    try await pool.run { try $0.query("SELECT 1").count }
                }
                #expect(error?.kind == .connectionLost)
                await time.pauses(atLeast: number)
                time.advance(by: .milliseconds(400))
            }
            #expect(server.accepted.value >= 3)
            await pool.close()
        }
    }
}
