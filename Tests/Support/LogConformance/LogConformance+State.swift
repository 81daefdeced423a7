import EventLog
import Testing

extension LogConformance {
    private static func claim(_ environment: Environment, _ suffix: String) async throws -> StateClaim {
        let input = try await environment.make("\(suffix).input", partitions: 2)
        let state = try await environment.make("\(suffix).state", partitions: 2, compact: true)
        return StateClaim(
            input: TopicPartition(input, 1), group: environment.group(suffix), state: TopicPartition(state, 1))
    }

    private static let time = LogTimestamp(milliseconds: 1_700_000_000_000)

    static let stateChecks: [Check] = [
        Check("state and position are committed together and found again", needs: [.sessions]) { environment in
            let claim = try await claim(environment, "found")
            let first = try await environment.log.takeOver(claim)
            #expect(first.initialState.isEmpty && first.initialOffset == nil)
            try await first.commit([[1]: [10], [2]: [20]], offset: 5, at: time)
            try await first.commit([[1]: [11], [2]: nil, [3]: [30]], offset: 9, at: time)
            await first.close()
            let second = try await environment.log.takeOver(claim)
            #expect(second.initialState == [[1]: [11], [3]: [30]])
            #expect(second.initialOffset == 9)
            try await second.commit([:], offset: 9, at: time)
            #expect(second.initialState.isEmpty)
            await second.close()
        },
        Check("a session after a takeover can commit nothing", needs: [.sessions]) { environment in
            let claim = try await claim(environment, "fenced")
            let zombie = try await environment.log.takeOver(claim)
            try await zombie.commit([[1]: [1]], offset: 1, at: time)
            let owner = try await environment.log.takeOver(claim)
            #expect(owner.initialState == [[1]: [1]] && owner.initialOffset == 1)
            let failure = await #expect(throws: LogError.self) {
                try await zombie.commit([[1]: [2]], offset: 2, at: time)
            }
            guard case .fenced? = failure else {
                Issue.record("not fenced: \(String(describing: failure))")
                return
            }
            try await owner.commit([[1]: [3]], offset: 3, at: time)
            let last = try await environment.log.takeOver(claim)
            #expect(last.initialState == [[1]: [3]] && last.initialOffset == 3)
            await zombie.close()
            await owner.close()
            await last.close()
        },
        Check("followers of the state see commits in order", needs: [.sessions]) { environment in
            let claim = try await claim(environment, "seen")
            let session = try await environment.log.takeOver(claim)
            let follower = try await environment.log.follow(claim.state, from: 0)
            for round in 1...5 { try await session.commit([[9]: [UInt8(round)]], offset: Int64(round), at: time) }
            var values: [[UInt8]?] = []
            while values.count < 5 {
                values += try await follower.next().entries.filter { $0.key == [9] }.map(\.value)
            }
            #expect(values == (1...5).map { [UInt8($0)] })
            await session.close()
        },
        Check("state and offset are of one commit during takeovers", needs: [.sessions]) { environment in
            let claim = try await claim(environment, "race")
            try await withThrowingTaskGroup(of: ClosedRange<Int>.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        var (commits, unknown) = (0, 0)
                        for _ in 0..<6 {
                            do {
                                let session = try await environment.log.takeOver(claim)
                                let (state, offset) = (session.initialState, session.initialOffset ?? 0)
                                #expect(state[[7]] ?? [0] == [UInt8(offset)], "\(state) beside \(offset)")
                                for step in 1...3 {
                                    try await session.commit(
                                        [[7]: [UInt8(offset) + UInt8(step)]], offset: offset + Int64(step), at: time)
                                    commits += 1
                                }
                                await session.close()
                            } catch LogError.fenced {
                                // Another one was faster.
                            } catch is LogError {
                                unknown += 1
                            }
                        }
                        return commits...commits + unknown
                    }
                }
                let commits = try await group.reduce(0...0) {
                    $0.lowerBound + $1.lowerBound...$0.upperBound + $1.upperBound
                }
                let last = try await environment.log.takeOver(claim)
                #expect(commits.contains(Int(last.initialOffset ?? 0)), "\(commits)")
                await last.close()
            }
        },
        Check("an offset alone can be committed", needs: [.sessions]) { environment in
            let claim = try await claim(environment, "offset")
            let session = try await environment.log.takeOver(claim)
            try await session.commit([:], offset: 42, at: time)
            await session.close()
            let next = try await environment.log.takeOver(claim)
            #expect(next.initialOffset == 42)
            await next.close()
        },
    ]
}
