import TestSupport
import Testing
import Timing

@Suite struct TimeTests {
    @Test("a pause ends when its clock has moved far enough, in child tasks too")
    func pauses() async throws {
        let time = ManualTime()
        try await within {
            try await time.bound {
                let began = Time.now
                async let short: Void = Time.sleep(for: .seconds(1))
                await time.pauses(atLeast: 1)
                let long = Task { try await Time.sleep(until: began + .seconds(3600)) }
                await time.pauses(atLeast: 2)
                time.advance(by: .seconds(1))
                try await short
                #expect(Time.now - began == .seconds(1))
                #expect(time.pauses == [.seconds(1), .seconds(3600)])
                time.advance(by: .seconds(3599))
                try await long.value
            }
        }
    }

    @Test("a cancelled pause ends, also one that starts cancelled")
    func cancellation() async throws {
        let time = ManualTime()
        await time.bound {
            let early = Task { try await Time.sleep(for: .seconds(1)) }
            early.cancel()
            await #expect(throws: CancellationError.self) { try await early.value }
            let late = Task { try await Time.sleep(for: .seconds(1)) }
            await time.pauses(atLeast: time.pauses.count)
            late.cancel()
            await #expect(throws: CancellationError.self) { try await late.value }
        }
    }

    @Test("work that ends in time gives its value or its error, and the pause ends with it")
    func raceInTime() async throws {
        let time = ManualTime()
        try await within {
            try await time.bound {
                let value = try await Time.race(within: .seconds(1)) { 7 }
                #expect(value == 7)
                await #expect(throws: Lost.self) { _ = try await Time.race(within: .seconds(1)) { throw Lost() } }
            }
        }
    }

    @Test("work that takes too long is cancelled; a value that it gives then counts, its cancellation is nil")
    func raceTooLong() async throws {
        let time = ManualTime()
        try await within {
            try await time.bound {
                for (late, expected) in [(nil, nil), (7, 7)] as [(Int?, Int?)] {
                    let number = time.pauses.count
                    async let race = Time.race(within: .seconds(1)) {
                        do { try await Time.sleep(for: .seconds(3600)) } catch {
                            guard let late else { throw error }
                            return late
                        }
                        return 0
                    }
                    await time.pauses(atLeast: number + 2)
                    time.advance(by: .seconds(1))
                    let found = try await race
                    #expect(found == expected)
                }
            }
        }
    }

    @Test("a race in a cancelled task throws the cancellation")
    func raceCancelled() async throws {
        let time = ManualTime()
        await time.bound {
            let race = Task {
                try await Time.race(within: .seconds(1)) { try await Time.sleep(for: .seconds(3600)) }
            }
            await time.pauses(atLeast: 2)
            race.cancel()
            await #expect(throws: CancellationError.self) { _ = try await race.value }
        }
    }

    private struct Lost: Error {}
}
